# SPDX-License-Identifier: MIT
"""The page to label by hand, in a real browser."""

import json
import shutil

import pytest

from browser import Browser
from evaluated_root import EvaluatedRoot

pytestmark = pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium")

ATTACK = ("</script><script>document.title='taken'</script>"
          "<img src=x onerror=document.title='taken'>")
KEEP_THE_FILE = ("window.written = null; URL.createObjectURL = (blob) => {"
                 "blob.text().then((text) => { window.written = text; }); return 'blob:x'; }")


def text_of(browser, name):
    return browser.run(f"document.getElementById('{name}').textContent")


def test_keys_label_and_what_is_downloaded_can_be_imported(client, spool, spec, folder):
    made = EvaluatedRoot(spool.root)
    for n in range(4):
        answer = made.answer(f"a{n}", text=f"Paris {n} {ATTACK}", model="secret", item=f"q{n}")
        made.evaluate(f"a{n}", answer, 1.0, item=f"q{n}", grades=[{
            "name": "right", "kind": "judge", "score": 1, "passed": True, "weight": 1, "reason": "",
            "details": {"scale": "1..5", "verdict": "5", "judges": []}}])
    path = spec({"kind": "judge", "name": "right", "criteria": "c", "scale": {}},
                judges={"main": {"model": "j"}})
    page = folder / "label.html"
    done = client.run("eval", "label", path, "--out", page, "--by", "anna")
    assert done.returncode == 0, done.stderr
    with Browser(folder) as browser:
        browser.open(page.as_uri())
        for key in ("5", "2"):
            browser.press(key, text=key)
        assert text_of(browser, "count") == "2 of 4 labelled"
        assert text_of(browser, "place") == "3 of 4"
        browser.open(page.as_uri())
        assert text_of(browser, "count") == "2 of 4 labelled", "the browser keeps them"
        assert text_of(browser, "unsaved").startswith("2 not downloaded")
        browser.run(KEEP_THE_FILE)
        browser.press("d", text="d")
        browser.wait("window.written !== null")
        written = browser.run("window.written")
        assert browser.run("document.title") == "Label right - filecall"
        browser.open(page.as_uri(), width=390, height=800)
        assert browser.run("document.documentElement.scrollWidth") == 390
    labels = [json.loads(line) for line in written.splitlines()]
    assert [one["label"] for one in labels] == ["5", "2"]
    assert all(one["by"] == "anna" for one in labels)
    (folder / "labels.jsonl").write_text(written)
    done = client.run("eval", "label", path, "--import", folder / "labels.jsonl", "--json")
    assert json.loads(done.stdout) == {"labels": 2, "known": 0, "old": 0}, done.stderr
