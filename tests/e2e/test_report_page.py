# SPDX-License-Identifier: MIT
"""The HTML page of filecall report in a real browser."""

import html
from pathlib import Path
import re
import shutil
import subprocess
from urllib.parse import unquote, urlsplit

import pytest

from browser import Browser
from evaluated_root import EvaluatedRoot

pytestmark = pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium")

ATTACK = ("</script><script>document.title='taken'</script><img src=x onerror=\"document.title="
          "'taken'\"><svg onload=document.title='taken'><a href=javascript:alert(1)>x</a>")


def dom_of(folder, url, *arguments):
    done = subprocess.run([shutil.which("chromium"), "--headless=new", "--no-sandbox",
                           "--disable-gpu",
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


def question_page(client, spool, folder):
    """Three questions, two models, two repeats; the second question is answered differently."""
    made = EvaluatedRoot(spool.root)
    for item in ("q1", "q2", "q3"):
        for model in ("large", "small"):
            for repeat in (1, 2):
                good = item == "q1" or (item == "q2" and (model == "large" or repeat == 1))
                stem = f"{item}-{model}-{repeat}"
                text = "Paris it is" if good else "Lyon it is"
                answer = made.answer(stem, text=text, model=model, item=item, repeat=repeat,
                                     vars={"country": "Atlantis", "city": "Paris it is"})
                made.evaluate(stem, answer, float(good), item=item, grades=[
                    {"name": "city", "kind": "exact", "score": float(good), "passed": good,
                     "weight": 1, "reason": "", "expected": "Paris it is"},
                    {"name": "polite", "kind": "judge", "score": 1.0, "passed": True, "weight": 1}])
    made.give_up("lost", model="small", item="q1")
    done = client.run("report", "--format", "html", "--out", folder / "matrix.html")
    assert done.returncode == 1, done.stderr
    return (folder / "matrix.html").as_uri()


IDS = "[...document.querySelectorAll('#rows button')].map(b => b.textContent)"


def test_a_matrix_leads_to_the_answers_of_a_cell(client, spool, folder):
    url = question_page(client, spool, folder)
    with Browser(folder) as browser:
        browser.open(url)
        cells = browser.run("[...document.querySelectorAll('#matrix_rows tr')].map(line => "
                            "[...line.children].map(cell => cell.innerText.trim()))")
        assert [[cell.split()[0] for cell in line] for line in sorted(cells)] == [
            ["q1", "✓✓", "–✓✓"], ["q2", "✓✓", "✓✗0.50"], ["q3", "✗✗", "✗✗"]]
        browser.run("document.querySelector(\"a[aria-label^='q2, small']\").click()")
        browser.wait(IDS + ".length === 2")
        assert sorted(browser.run(IDS)) == ["q2-small-1", "q2-small-2"]
        assert "item=q2" in browser.run("location.hash")


def test_filters_find_stand_in_the_address_and_come_back_from_it(client, spool, folder):
    url = question_page(client, spool, folder)
    choose = ("(() => {{ const s = document.getElementById('{0}'); s.value = '{1}'; "
              "s.dispatchEvent(new Event('change')); }})()")
    with Browser(folder) as browser:
        browser.open(url)
        for id_, value, found in (("show", "failed", 6), ("model", "small", 4),
                                  ("grader", "city", 3), ("show", "disagreed", 2)):
            browser.run(choose.format(id_, value))
            assert len(browser.run(IDS)) == found, (id_, value)
        address = browser.run("location.href")
        browser.open(address)
        assert sorted(browser.run(IDS)) == ["q2-small-1", "q2-small-2"]
        browser.open(url + "#code=resource_exhausted")
        assert browser.run(IDS) == ["lost"]
        browser.open(url + "#q=atlantis%20q3-small-1")
        assert browser.run(IDS) == ["q3-small-1"], "variables of the row are searched, too"
        shown = browser.run("document.querySelector('.details').innerText")
        assert "Atlantis" in shown and "in the queue" in shown and "in the worker" in shown
        assert browser.run("document.querySelector('.sides del').textContent") == "Paris"
        assert browser.run("document.querySelector('.sides ins').textContent") == "Lyon"


def test_links_lead_to_files_that_exist(client, spool, folder):
    url = question_page(client, spool, folder)
    (spool.root / "requests" / "q1-large-1.json").unlink()
    client.run("report", "--format", "html", "--out", folder / "matrix.html")
    with Browser(folder) as browser:
        browser.open(url)
        browser.run("document.querySelectorAll('#rows button').forEach(b => "
                    "[...document.querySelectorAll('#rows button')].find("
                    "o => o.dataset.id === b.dataset.id).click())")
        links = browser.run("[...document.querySelectorAll('.details a')].map(a => a.href)")
        files = [link for link in links if "#" not in link]
        assert len(files) > 30
        assert all(Path(unquote(urlsplit(link).path)).is_file() for link in files)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_it_without_scrolling_sideways(client, spool, folder, scheme):
    url = question_page(client, spool, folder)
    with Browser(folder) as browser:
        browser.open(url + "#show=failed", width=390, height=844, scheme=scheme)
        browser.run("document.querySelector('#rows button').click()")
        assert browser.run("document.documentElement.scrollWidth") == 390
        assert browser.run("document.querySelector('.details').getBoundingClientRect().right") < 391
        paper = browser.run("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


def test_everything_is_reached_by_keyboard_and_shows_where_it_is(client, spool, folder):
    url = question_page(client, spool, folder)
    with Browser(folder) as browser:
        browser.open(url)
        wanted = set(browser.run(
            "[...document.querySelectorAll('a, button, input, select, [tabindex=\"0\"]')]"
            ".filter(e => e.offsetParent && !e.disabled).map((e, i) => (e.dataset.n = i, i))"))
        reached = []
        for _ in range(len(wanted) + 1):
            browser.press("Tab")
            at = browser.run("(document.activeElement.dataset || {}).n")
            if at is None:
                break
            reached.append(int(at))
            outline = browser.run("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid", browser.run("document.activeElement.outerHTML.slice(0, 200)")
        assert set(reached) == wanted and reached == sorted(reached), "in the order of the page"
        browser.run("document.querySelector('#rows button').focus()")
        browser.press("Enter", text="\r")
        assert browser.run("document.activeElement.getAttribute('aria-expanded')") == "true"
        assert browser.run("document.querySelectorAll('.details').length") == 1


def test_it_prints_on_white_paper_without_its_controls(client, spool, folder):
    url = question_page(client, spool, folder)
    with Browser(folder) as browser:
        browser.open(url, width=720, media="print", scheme="dark")
        assert browser.run("[...document.querySelectorAll('table')].filter("
                           "t => t.getBoundingClientRect().right > innerWidth).length") == 0
        paper = browser.run("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
        assert browser.run("document.querySelector('.filters').offsetParent") is None
        sizes = browser.run("[...document.querySelectorAll('th, td, .id')].map("
                            "e => parseFloat(getComputedStyle(e).fontSize))")
        assert max(sizes) <= 10, "no heading or name is larger than what it heads"
        browser.pdf(folder / "report.pdf")
        assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("width, media", [(1280, None), (720, "print")])
def test_a_table_of_requests_breaks_no_short_word_and_leaves_room_for_answers(
        client, spool, folder, width, media):
    made = EvaluatedRoot(spool.root)
    for i in range(3):
        made.graded(f"country-f765356f55a7ac8d-{i}", 1.0, model="large", prompt_name="sentence",
                    text="The capital of France is Paris, as everybody knows.")
    client.run("report", "--format", "html", "--out", folder / "table.html")
    with Browser(folder) as browser:
        browser.open((folder / "table.html").as_uri(), width=width, media=media)
        lines = browser.run(
            "[...document.querySelector('#rows tr').children].slice(0, 3).map(cell => {"
            "const range = document.createRange(); range.selectNodeContents(cell);"
            "return new Set([...range.getClientRects()].map(r => Math.round(r.top))).size; })")
        assert lines[1:] == [1, 1], "model and prompt"
        widths = browser.run("[...document.querySelectorAll('#rows tr:first-child td.cut')]"
                             ".map(e => e.getBoundingClientRect().width)")
        assert len(widths) == 2 and min(widths) > width * 0.12, widths


def test_paper_says_how_much_of_it_there_is(page, folder):
    with Browser(folder) as browser:
        browser.open(page.as_uri(), width=720, media="print")
        assert browser.run("document.getElementById('page').textContent") == "1 to 50 of 242"
        assert browser.run("document.getElementById('page').offsetParent !== null")
        assert browser.run("document.getElementById('next').offsetParent") is None


def test_a_comparison_marks_what_differs_and_fits_a_phone(client, spool, folder):
    one, other = EvaluatedRoot(spool.root), EvaluatedRoot(folder / "b")
    (folder / "b").chmod(0o700)
    for i in range(3):
        one.graded(f"q{i}", 1.0, model="m", text="Paris it is")
        other.graded(f"q{i}", 0.0, model="m", text="Lyon it is")
    done = client.run("compare", spool.root, folder / "b", "--format", "html",
                      "--out", folder / "compare.html")
    assert done.returncode == 0, done.stderr
    with Browser(folder) as browser:
        browser.open((folder / "compare.html").as_uri(), width=390, height=844)
        browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert browser.run("document.documentElement.scrollWidth") == 390
        assert browser.run("[...document.querySelectorAll('del, ins')].map(e => e.textContent)"
                           ) == ["Paris", "Lyon"] * 3
