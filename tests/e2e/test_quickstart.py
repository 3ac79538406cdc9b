# SPDX-License-Identifier: MIT
"""The README's first command, and its report in a real browser. The long mode takes a clean clone,
which links the programs once more: two minutes of two processors. Otherwise it is this tree."""

import json
import os
import re
import shutil
import subprocess

import pytest

import endpoint
import kube_stub
from harness import SLOW, TOP


def changes(tree):
    """What git says of the tree, and how broken.json reads."""
    said = subprocess.run(["git", "status", "--porcelain"], cwd=tree, capture_output=True,
                          text=True, check=True)
    return said.stdout, (tree / "scripts/examples/broken.json").read_text()


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory):
    """(finished process, root) of scripts/quickstart. `asked` of the process: calls to the cluster
    and the provider that its environment names."""
    folder = tmp_path_factory.mktemp("quickstart")
    cluster, provider = kube_stub.Stub({}), endpoint.Endpoint(folder)
    (folder / "kubeconfig").write_text(json.dumps(cluster.config()))
    tree = TOP
    if os.environ.get("FILECALL_TEST_MODE") == "long":
        tree = folder / "clone"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(TOP), str(tree)],
                       check=True)
    before = changes(tree)
    env = {k: v for k, v in os.environ.items() if not k.startswith("FILECALL_")}
    env |= {"FILECALL_ROOT": str(folder / "root"), "KUBECONFIG": str(folder / "kubeconfig"),
            "OPENAI_BASE_URL": provider.url + "/v1", "OPENAI_API_KEY": "sk-test"}
    done = subprocess.run([tree / "scripts" / "quickstart", "--no-install"], env=env,
                          capture_output=True, text=True, timeout=1500 * SLOW, check=False,
                          stdin=subprocess.DEVNULL, cwd="/")
    done.changes_before, done.changes = before, changes(tree)
    done.asked = [*cluster.requests, *provider.calls()]
    cluster.stop()
    provider.stop()
    return done, folder / "root"


def test_it_succeeds_and_says_where_things_are(quickstart):
    done, root = quickstart
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    text = done.stdout + done.stderr
    assert str(root) in text and ".html" in text


def test_it_asks_no_server_that_it_was_not_pointed_at(quickstart):
    assert quickstart[0].asked == []


def test_one_is_given_up_and_some_needed_a_retry(quickstart):
    _, root = quickstart
    given_up = [path.name for path in (root / "failed").iterdir()]
    assert given_up == ["json-syntax--scripts--examples--broken.json.json"]
    rows = [json.loads(line) for line in
            (root / "client/reports/quickstart/results.jsonl").read_text().splitlines()]
    asked = {path.stem for path in (root / "requests").glob("*.json")}
    others = asked - {row["request_id"] for row in rows}
    assert len(rows) == len(asked) - len(others)
    assert all(stem.startswith(("repair-", "undo-")) for stem in others), "the agent's"
    assert [r for r in rows if r["state"] == "SUCCESS" and r["attempts"] > 1], "real retries"


def test_an_agent_proposes_waits_applies_and_is_undone(quickstart):
    done, root = quickstart
    assert "the run waits for a decision" in done.stderr
    assert "changed scripts/examples/broken.json" in done.stdout
    assert "undone: scripts/examples/broken.json" in done.stdout
    approval = next((root / "approvals/requests").glob("repair-*.2.json"))
    run = approval.name.split(".")[0]
    assert json.loads((root / f"responses/{run}.result.json").read_text())["data"][
        "status"] == "done"
    # It was applied in between, and the tree is as it was.
    assert json.loads((root / f"responses/{run}.2.1.json").read_text())["data"]["applied"]
    assert done.changes == done.changes_before


def test_the_worker_it_started_is_gone(quickstart):
    _, root = quickstart
    assert json.loads((root / "worker/status.json").read_text())["state"] == "stopped"


@pytest.fixture(scope="module")
def page(quickstart):
    return next((quickstart[1] / "client/reports/quickstart").rglob("*.html"))


def chromium(folder, *arguments):
    program = shutil.which("chromium")
    if not program:
        pytest.skip("no chromium")
    return subprocess.run([program, "--headless=new", "--no-sandbox", "--disable-gpu",
                           "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile",
                           "--virtual-time-budget=5000", "--window-size=1200,1600", *arguments],
                          capture_output=True, timeout=120, check=False)


def test_the_report_draws_its_charts(page, tmp_path):
    dom = chromium(tmp_path, "--dump-dom", page.as_uri()).stdout.decode(errors="replace")
    assert "gave up" in dom
    assert "broken.json" in dom, "what was given up comes first"
    assert len(re.findall(r"<(canvas|svg)\b", dom)) >= 2, "a histogram and a time line"
    assert not re.search(r'src="https?://', dom), "self-contained"


def test_the_report_looks_like_something(page, tmp_path):
    picture = tmp_path / "report.png"
    chromium(tmp_path, f"--screenshot={picture}", page.as_uri())
    assert picture.stat().st_size > 20000, "an empty page compresses to less"
