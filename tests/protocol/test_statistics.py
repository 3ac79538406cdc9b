# SPDX-License-Identifier: MIT
"""What report and compare compute, beside SciPy and statsmodels, on random designs."""

import hashlib
import json
from math import comb
import random

import pytest

from evaluated_root import EvaluatedRoot

np = pytest.importorskip("numpy")
stats = pytest.importorskip("scipy.stats")
api = pytest.importorskip("statsmodels.api")
proportion = pytest.importorskip("statsmodels.stats.proportion")

SIX = {"rel": 1e-6, "abs": 1e-9}
DESIGNS = ["balanced", "unequal", "missing", "single", "all right", "all wrong", "few", "graded"]


def design(kind, chance):
    """Item -> scores of its repeats."""
    items = chance.randint(2, 4) if kind == "few" else chance.randint(15, 40)
    found = {}
    for i in range(items):
        repeats = {"unequal": chance.randint(1, 7), "missing": 5, "single": 1}.get(kind, 3)
        good = {"all right": 1.0, "all wrong": 0.0}.get(kind, chance.random())
        scores = [float(chance.random() < good) for _ in range(repeats)]
        if kind == "graded":
            scores = [round(chance.random(), 3) for _ in scores]
        if kind == "missing":
            scores = [score for score in scores if chance.random() < 0.7]
        if scores:
            found[f"q{i}"] = scores
    return found


def write(root, scores, extra=()):
    root.mkdir(mode=0o700, exist_ok=True)
    made = EvaluatedRoot(root)
    for item, repeats in scores.items():
        for n, score in enumerate(repeats, 1):
            made.graded(f"{item}-{n}", score, model="m", item=item, repeat=n)
    for item in extra:
        made.answer(item, model="m", item=item)  # Without a grade: it counts nowhere.
    return made.root


def mean_by_clusters(scores):
    """The mean over items by a regression of all answers, each weighted by one over the number of
    its item's, with errors that are robust to clusters: not the way that the programs go."""
    values = np.array([score for repeats in scores.values() for score in repeats])
    groups = np.array([i for i, repeats in enumerate(scores.values()) for _ in repeats])
    weights = np.array([1 / len(repeats) for repeats in scores.values() for _ in repeats])
    return api.WLS(values, np.ones_like(values), weights=weights).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)


def check_mean(estimate, scores):
    single = all(len(repeats) == 1 for repeats in scores.values())
    means = [np.mean(repeats) for repeats in scores.values()]
    assert estimate["items"] == len(scores)
    assert estimate["answers"] == sum(map(len, scores.values()))
    assert estimate["value"] == pytest.approx(np.mean(means), **SIX)
    spread = np.std(means, ddof=1)
    assert estimate["standard_error"] == pytest.approx(stats.sem(means), **SIX)
    if spread > 1e-9:
        fit = mean_by_clusters(scores)
        assert estimate["value"] == pytest.approx(fit.params[0], **SIX)
        assert estimate["standard_error"] == pytest.approx(fit.bse[0], **SIX)
    if single or spread < 1e-9:
        low, high = proportion.proportion_confint(sum(means), len(means), method="wilson")
        assert estimate["method"] == "wilson"
    else:
        low, high = np.clip(fit.conf_int()[0], 0, 1)
        assert estimate["method"] == "student-t"
    assert estimate["low"] == pytest.approx(low, **SIX)
    assert estimate["high"] == pytest.approx(high, **SIX)


def check_repeats(client, root, scores):
    longest = max(map(len, scores.values()))
    for k in range(1, longest + 1):
        done = client.run("report", "--root", root, "--format", "json", "--pass-k", str(k))
        assert done.returncode == 0, done.stderr
        repeats = json.loads(done.stdout)["groups"][0]["repeats"]
        enough = [(len(one), sum(score >= 0.5 for score in one)) for one in scores.values()
                  if len(one) >= k]
        any_of = [1 - comb(n - c, k) / comb(n, k) for n, c in enough]
        all_of = [comb(c, k) / comb(n, k) for n, c in enough]
        assert repeats["k"] == k and repeats["items_left_out"] == len(scores) - len(enough)
        assert repeats["pass_at_k"]["value"] == pytest.approx(np.mean(any_of), **SIX)
        assert repeats["pass_hat_k"]["value"] == pytest.approx(np.mean(all_of), **SIX)


def check_pairs(paired, a, b):
    common = [item for item in a if item in b]
    left = [np.mean(a[item]) for item in common]
    right = [np.mean(b[item]) for item in common]
    differences = np.array(right) - np.array(left)
    assert paired["items"] == len(common)
    assert (paired["only_a"], paired["only_b"]) == (len(a) - len(common), len(b) - len(common))
    assert paired["difference"] == pytest.approx(differences.mean(), **SIX)
    wins, losses = int((differences > 1e-9).sum()), int((differences < -1e-9).sum())
    assert (paired["wins"], paired["losses"]) == (wins, losses)
    sign = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert paired["sign_test_p"] == pytest.approx(sign, **SIX)
    if len(common) < 2:
        return
    assert paired["standard_error"] == pytest.approx(stats.sem(differences), **SIX)
    if stats.sem(differences) < 1e-9:
        assert paired["p_value"] == paired["sign_test_p"]
        return
    test = stats.ttest_rel(right, left)
    assert paired["p_value"] == pytest.approx(test.pvalue, **SIX)
    fit = api.OLS(differences, np.ones_like(differences)).fit(use_t=True)
    low, high = np.clip(fit.conf_int()[0], -1, 1)
    assert paired["low"] == pytest.approx(low, **SIX)
    assert paired["high"] == pytest.approx(high, **SIX)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", DESIGNS)
def test_scores_and_repeats(client, folder, kind, seed):
    scores = design(kind, random.Random(f"{kind} {seed}"))
    root = write(folder / "a", scores, extra=["ungraded"])
    done = client.run("report", "--root", root, "--format", "json")
    assert done.returncode == 0, done.stderr
    group = json.loads(done.stdout)["groups"][0]
    check_mean(group["score"], scores)
    check_mean(group["pass_rate"], {item: [float(score >= 0.5) for score in repeats]
                                    for item, repeats in scores.items()})
    check_repeats(client, root, scores)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", DESIGNS)
def test_comparisons(client, folder, kind, seed):
    chance = random.Random(f"{kind} {seed} pairs")
    a, b = design(kind, chance), design(chance.choice([kind, "unequal"]), chance)
    for scores in (a, b):  # Each lacks items that the other one has.
        for item in chance.sample(sorted(scores), len(scores) // 8):
            del scores[item]
    roots = [write(folder / name, scores) for name, scores in (("a", a), ("b", b))]
    done = client.run("compare", *roots, "--json")
    assert done.returncode == 0, done.stderr
    check_pairs(json.loads(done.stdout)["groups"][0]["score"], a, b)


def labelled_root(root, raters, answers, chance):
    """A root whose answers one judge grader rated, and people labelled; the table of ratings."""
    names = ["good", "fair", "bad"]
    made = write(root, {})
    ratings = []
    lines = []
    for n in range(answers):
        truth = chance.choice(names)
        said = [truth if chance.random() < 0.6 else chance.choice(names) for _ in range(raters)]
        people = [truth if chance.random() < 0.7 else chance.choice(names) for _ in range(2)]
        judges = [{"judge": f"j{i}", "request_id": f"q{n}-{i}", "verdict": one}
                  for i, one in enumerate(said)]
        score = {"good": 1, "fair": 0.4, "bad": 0}[said[0]]
        evaluated = EvaluatedRoot(made)
        data = evaluated.answer(f"a{n}", model="m")
        evaluated.evaluate(f"a{n}", data, score, grades=[{
            "name": "right", "kind": "judge", "score": score, "passed": score >= 0.5, "weight": 1,
            "reason": "", "details": {"scale": "good=1|fair=0.4|bad=0", "verdict": said[0],
                                      "judges": judges}}])
        for who, label in zip(("anna", "ben"), people):
            lines.append(json.dumps({
                "request_id": f"a{n}", "response_digest": "sha256:" + hashlib.sha256(
                    data).hexdigest(), "evaluation": "quality", "grader": "right",
                "scale": "good=1|fair=0.4|bad=0", "label": label, "by": who,
                "at": "2026-01-01T00:00:00Z"}) + "\n")
        ratings.append({**{f"j{i}": one for i, one in enumerate(said)}, "grade": said[0],
                        "anna": people[0], "ben": people[1]})
    (made / "eval/labels.jsonl").write_text("".join(lines))
    return ratings


@pytest.mark.parametrize("seed", range(3))
def test_agreement(client, folder, seed):
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    chance = random.Random(f"agreement {seed}")
    ratings = labelled_root(folder / "a", 3 + seed % 2, chance.randint(20, 60), chance)
    done = client.run("report", "--root", folder / "a", "--format", "json")
    assert done.returncode == 0, done.stderr
    [found] = json.loads(done.stdout)["judging"]
    names = ["good", "fair", "bad"]
    values = np.array([1, 0.4, 0])
    weights = (values[:, None] - values[None, :]) ** 2
    judges = [name for name in ratings[0] if name.startswith("j")]
    assert len(found["agreement"]) == len(judges) * (len(judges) - 1) // 2 + 2 * len(judges) + 3
    for pair in found["agreement"]:
        a, b = pair["a"].get("name", "grade"), pair["b"].get("name", "grade")
        table = np.zeros((3, 3))
        for row in ratings:
            table[names.index(row[a]), names.index(row[b])] += 1
        for ours, theirs in ((pair["kappa"], raters.cohens_kappa(table)),
                             (pair["weighted_kappa"], raters.cohens_kappa(table, weights=weights))):
            assert ours["value"] == pytest.approx(theirs.kappa, **SIX)
            assert ours["standard_error"] == pytest.approx(theirs.std_kappa, **SIX)
            assert ours["low"] == pytest.approx(max(-1, theirs.kappa_low), **SIX)
            assert ours["high"] == pytest.approx(min(1, theirs.kappa_upp), **SIX)
        low, high = proportion.proportion_confint(np.trace(table), len(ratings), method="wilson")
        assert pair["share"]["value"] == pytest.approx(np.trace(table) / len(ratings), **SIX)
        assert [pair["share"]["low"], pair["share"]["high"]] == pytest.approx([low, high], **SIX)
    counts = [[sum(row[judge] == name for judge in judges) for name in names] for row in ratings]
    assert found["fleiss_kappa"]["value"] == pytest.approx(
        raters.fleiss_kappa(np.array(counts)), **SIX)
