# SPDX-License-Identifier: MIT
"""The HTML page of filecall report in a real browser."""

import html
import re
import shutil
import subprocess

import pytest

from evaluated_root import EvaluatedRoot

ATTACK = ("</script><script>document.title='taken'</script><img src=x onerror=\"document.title="
          "'taken'\"><svg onload=document.title='taken'><a href=javascript:alert(1)>x</a>")


def dom_of(folder, url, *arguments):
    program = shutil.which("chromium")
    if not program:
        pytest.skip("no chromium")
    done = subprocess.run([program, "--headless=new", "--no-sandbox", "--disable-gpu",
                           "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile",
                           "--virtual-time-budget=5000", "--window-size=1200,2200",
                           *(arguments or ["--dump-dom"]), url],
                          capture_output=True, timeout=120, check=False)
    return done.stdout.decode(errors="replace")


@pytest.fixture
def page(client, spool, folder):
    made = EvaluatedRoot(spool.root)
    for i in range(120):
        for model in ("small", "large"):
            made.graded(f"{model}-{i}", float((i * 7) % 10 < (8 if model == "large" else 5)),
                        model=model, item=f"q{i}", prompt=f"question {i}?", text=f"answer {i}",
                        run_ms=50 + 3 * i, data={"cost": 0.001, "time_to_first_token_ms": 10 + i})
    made.graded("attack", 0.0, model=ATTACK, prompt=ATTACK, text=ATTACK, item=ATTACK)
    made.give_up("lost", error_class=ATTACK, message=ATTACK, model="small")
    done = client.run("report", "--format", "html", "--out", folder / "report.html")
    assert done.returncode == 1, done.stderr
    return folder / "report.html"


def rows(dom):
    """Of the table of requests, without those that are opened."""
    table = dom[dom.index('id="rows"'):]
    return re.findall(r'<tr class="outcome-\w+', table[:table.index("</table>")])


def test_it_shows_scores_charts_and_a_page_of_requests(page, folder):
    dom = dom_of(folder, page.as_uri())
    assert len(re.findall(r"<canvas", dom)) == 3, "scores, latency, time line"
    assert len(rows(dom)) == 50 and "242 of 242" in dom
    assert rows(dom)[0] == '<tr class="outcome-error' and ">lost<" in dom, "what needs a look first"
    assert "95 %" in dom and "$0.12" in dom


def test_nothing_of_an_answer_runs(page, folder):
    dom = dom_of(folder, page.as_uri())
    assert "<title>filecall - filecall</title>" in dom
    assert not re.search(r"<(img|svg)\b", dom)
    assert 'href="javascript' not in dom
    assert html.escape(ATTACK, quote=False) in dom, "it is shown as the text that it is"


def test_a_search_finds_and_opens_one_request(page, folder):
    dom = dom_of(folder, page.as_uri() + "#q=large-17%20question")
    assert len(rows(dom)) == 1 and "1 of 242" in dom
    details = dom[dom.index('class="details"'):]
    assert "question 17?" in details and "answer 17" in details and "exact" in details
    assert 'href="root/responses/large-17.json"' in details


def test_it_looks_like_something(page, folder):
    picture = folder / "report.png"
    dom_of(folder, page.as_uri(), f"--screenshot={picture}")
    assert picture.stat().st_size > 40000, "an empty page compresses to less"
