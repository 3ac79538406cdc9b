# SPDX-License-Identifier: MIT
"""What is read out of other projects' tests, and how what we make of it is judged."""

import argparse

import edit_sets
from edit_set_sources import Found, read_tests

RUST = '''
#[test]
fn test_changes_a_line() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("a.txt");
    fs::write(&path, "one\\ntwo\\n").unwrap(); // "not this"
    let patch = wrap_patch(&format!(r#"*** Update File: {}
@@
-two
+2"#, path.display()));
    apply_patch(&patch, &mut stdout).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\\n2\\n");
}
fn helper() { run_apply_patch_in_dir(tmp.path(), "no test's"); }
#[test]
fn test_refuses() {
    run_apply_patch_in_dir(tmp.path(), "bad")?.failure();
    assert!(!dir.path().join("b.txt").exists());
}
'''
TYPESCRIPT = '''
const old = "a\\nb"
test("edits", async () => {
  const file = path.join(tmp.path, "sub", 'x.txt')
  await fs.writeFile(file, old + "\\n", "utf-8")
  await edit.execute({ filePath: file, oldString: "b", newString: "c", replaceAll: true }, ctx)
  expect(await fs.readFile(file, "utf-8")).toBe("a\\nc\\n")
})
it.live("refuses", () => {
  const patchText = `*** Delete File: ${tempDir}/gone`
  await expect(execute({ patchText }, ctx)).rejects.toThrow()
})
'''


class Fixed:
    """An engine with one answer."""

    def __init__(self, files, why=""):
        self.answer = files, why

    def change(self, files, wanted):
        return self.answer


def test_rust_tests_are_read():
    changed, refused = read_tests(RUST)
    assert changed.before == {"/base/a.txt": "one\ntwo\n"}
    assert changed.wanted == [{"patch": "*** Begin Patch\n*** Update File: /base/a.txt\n@@\n-two\n"
                                        "+2\n*** End Patch"}]
    assert changed.after == {"/base/a.txt": "one\n2\n"} and not changed.is_refused
    assert refused.wanted == [{"patch": "bad"}] and refused.is_refused
    assert refused.after == {"/base/b.txt": None}


def test_typescript_tests_are_read():
    edited, refused = read_tests(TYPESCRIPT)
    assert edited.before == {"/base/sub/x.txt": "a\nb\n"}
    assert edited.wanted == [{"path": "/base/sub/x.txt", "old": "b", "new": "c", "is_all": True}]
    assert edited.after == {"/base/sub/x.txt": "a\nc\n"}
    assert refused.wanted == [{"patch": "*** Delete File: /base/gone"}] and refused.is_refused


def test_a_case_is_the_same_only_when_all_of_it_is():
    case = Found("x", {"a": "1", "b": "2"}, [{"patch": "p"}], {"a": "3", "b": None})

    def verdict(files, why=""):
        return edit_sets.verdict_of(case, Fixed(files, why))[0]
    assert verdict({"a": "3"}) == "same"
    assert verdict({"a": "3", "b": "2"}) == "other content"
    assert verdict(None, "why") == "we refuse"
    case.is_refused, case.after = True, {"a": "1"}
    assert verdict(None) == "same"
    assert verdict({"a": "1"}) == "they refuse"
    case.after = {"a": "half"}
    assert verdict(None) == "other content"


def test_a_test_that_writes_files_is_not_left_out_unseen():
    assert edit_sets.verdict_of(Found("x", {"a": "1"}), None)[0] == "not understood"
    assert edit_sets.verdict_of(Found("x"), None)[0] == "form"


def test_folders_that_are_missing_are_left_out_and_named(tmp_path, capsys):
    (tmp_path / "tests/basic").mkdir(parents=True)
    options = argparse.Namespace(codex=tmp_path, aider=tmp_path, opencode=None)
    assert edit_sets.folders(options)
    assert options.codex is None and options.aider == tmp_path
    said = capsys.readouterr().err
    assert "codex is left out: there is no" in said
    assert "opencode is left out: no folder is given" in said
