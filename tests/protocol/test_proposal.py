# SPDX-License-Identifier: MIT
"""filecall proposal: what is shown, made in parts, taken back, and what does not fit any more."""

import json
import os
import pty
import subprocess

import pytest

TEXT = "".join(f"line {i}\n" for i in range(1, 61))
WANTED = {"changes": [
    {"path": "src/a.txt", "operation": "update", "edits": [
        {"old": "line 3\n", "new": "three\n"}, {"old": "line 30\n", "new": "thirty\n"}]},
    {"path": "src/b.txt", "operation": "delete"},
    {"path": "src/new/c.txt", "operation": "create", "new_content": "c\tc\n"}]}


@pytest.fixture
def files(folder, start_worker):
    top = folder / "checkout"
    (top / "src").mkdir(parents=True)
    (top / "src/a.txt").write_text(TEXT)
    (top / "src/b.txt").write_text("b\n")
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)]}})
    return top


@pytest.fixture
def proposal(spool, files, folder):
    path = folder / "proposal.json"
    path.write_text(json.dumps(spool.call("ask", "file.propose", WANTED)["data"]))
    return path


def content(files) -> dict:
    return {str(p.relative_to(files)): p.read_text() for p in files.rglob("*") if p.is_file()}


def on_terminal(client, *arguments, **env) -> str:
    """What is printed on a terminal."""
    ours, theirs = pty.openpty()
    pid = os.fork()
    if pid == 0:
        os.dup2(theirs, 1)
        command = client.command(*arguments)
        os.execve(command[0], command, {**os.environ, "TERM": "xterm", **env})
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:  # Its other end was closed.
        pass
    os.waitpid(pid, 0)
    os.close(ours)
    return text.decode()


@pytest.mark.core
def test_a_proposal_is_shown_applied_once_and_undone_once(client, files, proposal):
    before = content(files)
    done = client.run("proposal", "show", proposal)
    assert done.returncode == 0 and done.stdout.startswith("waiting: 3 files, 4 hunks\n")
    assert "-line 3\n+three\n" in done.stdout and "\x1b" not in done.stdout
    done = client.run("proposal", "apply", proposal)
    assert done.returncode == 0 and "applied: src/a.txt\n" in done.stdout, done.stderr
    after = content(files)
    assert after == {"src/a.txt": TEXT.replace("line 3\n", "three\n").replace("line 30", "thirty"),
                     "src/new/c.txt": "c\tc\n"}
    done = client.run("proposal", "apply", proposal)
    assert done.returncode == 0 and "was applied already" in done.stderr and not done.stdout
    shown = json.loads(client.run("proposal", "show", proposal, "--json").stdout)
    assert shown["state"] == "applied"
    done = client.run("proposal", "undo", proposal)
    assert done.returncode == 0 and content(files) == before, done.stderr
    assert not (files / "src/new").exists()
    done = client.run("proposal", "undo", proposal)
    assert done.returncode == 0 and "was undone already" in done.stderr and content(files) == before
    assert client.run("proposal", "apply", proposal).returncode == 0 and content(files) == after


def test_parts_are_applied_one_after_the_other_and_undone_together(client, files, proposal):
    before = content(files)
    done = client.run("proposal", "undo", "ask")
    assert done.returncode == 2 and "no record that it was applied" in done.stderr
    shown = json.loads(client.run("proposal", "show", "ask", "--json").stdout)
    second = shown["changes"][0]["hunks"][1]["id"]
    done = client.run("proposal", "apply", "ask", "--hunks", f"src/b.txt,src/a.txt:{second}")
    assert done.returncode == 0 and "not applied: 2 files, 2 hunks" in done.stderr, done.stderr
    assert content(files) == {"src/a.txt": TEXT.replace("line 30", "thirty")}
    done = client.run("proposal", "apply", "ask", "--hunks", "nothing")
    assert done.returncode == 2 and "neither a hunk nor a file" in done.stderr
    made = json.loads(client.run("proposal", "apply", "ask", "--json").stdout)
    assert made["state"] == "applied" and made["rest"] == []
    assert content(files)["src/new/c.txt"] == "c\tc\n" and "three" in content(files)["src/a.txt"]
    undone = json.loads(client.run("proposal", "undo", "ask", "--json").stdout)
    assert undone["state"] == "undone" and len(undone["requests"]) == 1
    assert content(files) == before


def test_the_same_change_in_another_request_is_another_proposal(client, spool, files, proposal):
    before = content(files)
    assert client.run("proposal", "apply", "ask").returncode == 0
    (files / "src/a.txt").write_text(TEXT)
    (files / "src/b.txt").write_text("b\n")
    (files / "src/new/c.txt").unlink()
    spool.call("ask-again", "file.propose", WANTED)
    assert client.run("proposal", "show", "ask-again").stdout.startswith("waiting: ")
    (files / "src/a.txt").unlink()
    missing = client.run("proposal", "apply", "ask-again")
    assert missing.returncode == 6 and "src/a.txt: missing" in missing.stdout, missing.stderr
    (files / "src/a.txt").write_text(TEXT)
    assert client.run("proposal", "apply", "ask-again").returncode == 0
    assert client.run("proposal", "undo", "ask-again").returncode == 0
    assert content(files) == before


@pytest.mark.parametrize("words", ["", ","])
def test_hunks_that_name_nothing_are_refused(client, files, proposal, words):
    before = content(files)
    for _ in range(2):
        done = client.run("proposal", "apply", proposal, "--hunks", words)
        assert done.returncode == 2 and "names no hunk" in done.stderr
        assert content(files) == before
        assert client.run("proposal", "apply", proposal, "--hunks", "src/b.txt").returncode == 0
        before = content(files)


def test_what_somebody_took_back_otherwise_can_be_applied_again(client, files, proposal):
    before = content(files)
    assert client.run("proposal", "apply", proposal).returncode == 0
    after = content(files)
    # As git checkout does.
    (files / "src/a.txt").write_text(TEXT)
    (files / "src/b.txt").write_text("b\n")
    (files / "src/new/c.txt").unlink()
    again = client.run("proposal", "apply", proposal)
    assert again.returncode == 0 and "already" not in again.stderr, again.stderr
    assert content(files) == after
    once_more = client.run("proposal", "apply", proposal)
    assert once_more.returncode == 0 and "was applied already" in once_more.stderr
    assert client.run("proposal", "undo", proposal).returncode == 0
    assert content(files) == before


@pytest.mark.core
def test_what_changed_meanwhile_is_a_merge_to_look_at(client, files, proposal):
    (files / "src/a.txt").write_text(TEXT.replace("line 3\n", "drei\n").replace("line 50", "L"))
    before = content(files)
    done = client.run("proposal", "apply", proposal)
    assert done.returncode == 6 and content(files) == before
    assert "nothing was changed" in done.stderr
    assert "drei\n" in done.stdout and "three\n" in done.stdout and "<<<<<<<" in done.stdout
    assert "|||||||" in done.stdout and "merged, with 1 conflict" in done.stdout
    answer = json.loads(client.run("proposal", "show", proposal, "--merge", "--json").stdout)
    merged = answer["files"][0]["merged"]
    assert merged["conflicts"] == 1
    assert "thirty" in merged["content"] and "\nL\n" in merged["content"]
    (files / "src/a.txt").write_text(TEXT.replace("line 50", "L"))
    answer = json.loads(client.run("proposal", "apply", proposal, "--json").stdout)
    assert answer["state"] == "conflict"
    assert answer["files"][0]["merged"]["content"] == TEXT.replace("line 50", "L").replace(
        "line 3\n", "three\n").replace("line 30", "thirty")
    # What was refused is no part of what was done.
    assert client.run("proposal", "undo", proposal).returncode == 2


def test_a_terminal_gets_colour_and_nothing_that_it_would_obey(client, spool, files, folder):
    (files / "src/evil.txt").write_text("one\n")
    data = spool.call("evil", "file.propose", {"changes": [
        {"path": "src/evil.txt", "operation": "update", "new_content": "\x1b]0;owned\x07two\n"}]})
    assert data["status"] == "success"
    text = on_terminal(client, "proposal", "show", "evil")
    assert "\x1b[32m+" in text and "\x1b]0;" not in text and "\x07" not in text
    assert "\x1b" not in on_terminal(client, "proposal", "show", "evil", NO_COLOR="1")
    side = client.run("proposal", "show", "evil", "--side-by-side").stdout
    assert " | " in side and "one" in side and "two" in side and "\n+++" not in side


def test_what_is_no_proposal_says_what_one_is(client, files, folder):
    cases = {"none.json": None, "text.json": "x", "list.json": "[]", "empty.json": "{}",
             "echo.json": '{"status": "error", "error_message": "x", "request_id": "e"}'}
    for name, text in cases.items():
        path = folder / name
        if text is not None:
            path.write_text(text)
        done = client.run("proposal", "show", path)
        assert done.returncode == 2 and str(path) in done.stderr, done.stderr
    done = client.run("proposal", "show", "no-such-id")
    assert done.returncode == 2 and "proposals/no-such-id.json" in done.stderr
    assert client.run("proposal", "turn", "x").returncode == 2
    assert client.run("proposal", "undo", "x", "--hunks", "y").returncode == 2


def test_a_proposal_that_waits_in_the_root_is_named_by_its_id(client, spool, files, proposal):
    place = spool.root / "proposals"
    place.mkdir()
    proposal.rename(place / "change-1.json")
    assert client.run("proposal", "apply", "change-1").returncode == 0
    assert (files / "src/new/c.txt").exists()
    words = client.run("completion", "proposals", "change").stdout.split()
    assert words == ["change-1"]


def test_a_request_whose_client_was_killed_counts_as_what_it_did(client, spool, files, proposal):
    before = content(files)
    data = json.loads(proposal.read_text())
    spool.call("apply-lost", "file.apply", {"changes": data["changes"], "digest": data["digest"]})
    record = spool.root / "client/proposals" / f"{data['digest']}.jsonl"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text('{"action": "apply", "request_id": "apply-lost"}\n{"action": "app')
    done = client.run("proposal", "apply", proposal)
    assert done.returncode == 0 and "was applied already, by apply-lost" in done.stderr
    assert client.run("proposal", "undo", proposal).returncode == 0 and content(files) == before


def test_a_proposal_that_shows_something_else_than_it_makes_is_refused(client, files, proposal):
    good = json.loads(proposal.read_text())
    before = content(files)
    for alter in (lambda c: c["hunks"][0].update(diff=c["hunks"][0]["diff"].replace("three", "3")),
                  lambda c: c.update(new_content=c["new_content"].replace("three", "harmful"))):
        lie = json.loads(json.dumps(good))
        alter(lie["changes"][0])
        for digest in (True, False):
            if not digest:
                lie.pop("digest", None)
            proposal.write_text(json.dumps(lie))
            for action in ("show", "apply"):
                done = client.run("proposal", action, proposal)
                assert done.returncode == 2 and "altered" in done.stderr, done.stdout
                assert "harm" not in done.stdout
    assert content(files) == before


def test_patch_takes_what_is_shown_whatever_the_names(client, spool, files, folder):
    names = ["s p", "n m", "empty file", "plain"]
    (files / "s p").write_text("old\n")
    (files / "s").write_text("old\n")
    wanted = {"changes": [{"path": "s p", "operation": "update", "new_content": "new\n"},
                          {"path": "n m", "operation": "create", "new_content": "made\n"},
                          {"path": "empty file", "operation": "create", "new_content": ""},
                          {"path": "plain", "operation": "create", "new_content": "x"}]}
    (folder / "p.json").write_text(json.dumps(spool.call("ask2", "file.propose", wanted)["data"]))
    shown = client.run("proposal", "show", folder / "p.json")
    done = subprocess.run(["patch", "-p1"], input=shown.stdout, cwd=files, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(files / name).read_text() for name in names] == ["new\n", "made\n", "", "x"]
    assert (files / "s").read_text() == "old\n"


def test_parts_are_taken_back_together_or_not_at_all(client, files, proposal):
    for part in ("src/a.txt", "src/new/c.txt"):
        assert client.run("proposal", "apply", proposal, "--hunks", part).returncode == 0
    (files / "src/a.txt").write_text("mine\n")
    before = content(files)
    done = client.run("proposal", "undo", proposal)
    assert done.returncode == 6 and "nothing was changed" in done.stderr, done.stderr
    assert content(files) == before


def test_a_part_that_was_applied_is_not_applied_again(client, files, proposal):
    apply = ("proposal", "apply", proposal, "--hunks")
    assert client.run(*apply, "src/b.txt").returncode == 0
    again = client.run(*apply, "src/b.txt")
    assert again.returncode == 0 and "was applied already" in again.stderr, again.stderr
    assert json.loads(client.run(*apply, "src/b.txt", "--json").stdout)["already"] is True
    both = client.run(*apply, "src/b.txt,src/new/c.txt")
    assert both.returncode == 0 and (files / "src/new/c.txt").exists(), both.stderr
    assert client.run(*apply, "src/none.txt").returncode == 2
    assert client.run("proposal", "undo", proposal).returncode == 0
    assert (files / "src/b.txt").exists() and not (files / "src/new").exists()


def test_files_that_are_others_than_what_was_applied_are_named(client, files, proposal):
    before = content(files)
    show = ("proposal", "show", proposal, "--merge", "--json")
    assert client.run("proposal", "apply", proposal).returncode == 0
    shown = client.run(*show)
    assert shown.returncode == 0 and json.loads(shown.stdout)["files"] == [], shown.stdout
    (files / "src/b.txt").write_text("b\n")
    (files / "src/a.txt").write_text("mine\n")
    reasons = [{"path": "src/a.txt", "reason": "changed"},
               {"path": "src/b.txt", "reason": "reverted"}]
    for command in (show, ("proposal", "apply", proposal, "--json"),
                    ("proposal", "apply", proposal, "--hunks", "src/b.txt", "--json")):
        done = client.run(*command)
        answer = json.loads(done.stdout)
        assert done.returncode == 6 and answer["state"] == "applied", command
        assert [{k: f[k] for k in ("path", "reason")} for f in answer["files"]] == reasons
    done = client.run("proposal", "apply", proposal)
    assert done.returncode == 6 and "already" not in done.stderr
    assert "src/b.txt: reverted; it is as it was before" in done.stdout
    assert (files / "src/a.txt").read_text() == "mine\n"
    # As git checkout does: then it begins again, with any part.
    (files / "src/a.txt").write_text(TEXT)
    (files / "src/new/c.txt").unlink()
    assert client.run("proposal", "apply", proposal, "--hunks", "src/b.txt").returncode == 0
    assert content(files) == {k: v for k, v in before.items() if k != "src/b.txt"}
    assert json.loads(client.run(*show[:3], "--json").stdout)["state"] == "partly applied"
    assert client.run("proposal", "apply", proposal).returncode == 0
    assert (files / "src/new/c.txt").exists()
    assert client.run("proposal", "undo", proposal).returncode == 0
    assert content(files) == before


@pytest.mark.parametrize("words", [("apply", "--side-by-side"), ("apply", "--merge"),
                                   ("undo", "--hunks", "src/a.txt"), ("show", "--hunks", "x")])
def test_an_option_that_an_action_would_pass_over_is_refused(client, files, proposal, words):
    before = content(files)
    done = client.run("proposal", words[0], proposal, *words[1:])
    assert done.returncode == 2 and words[1] in done.stderr
    assert content(files) == before
