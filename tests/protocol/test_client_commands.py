# SPDX-License-Identifier: MIT
"""The client's subcommands, their output and exit codes."""

import json
import os
import subprocess

import jsonschema
import pytest

from fake_worker import error, success
from harness import (DEADLINE, QUICK_RETRIES, SLOW, TOOLS, TOP, Spool, client_program,
                     wait_until)

RUN = ("run", "--no-start-worker", *QUICK_RETRIES)
SUBCOMMANDS = ["call", "run", "watch", "status", "show", "retry", "cancel", "gc", "eval",
               "report", "compare", "doctor", "worker", "schema"]


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_has_examples(name):
    done = subprocess.run([client_program(), name, "--help"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0
    assert "xample" in done.stdout and "--root" in done.stdout or name == "schema"


def test_help_names_all_subcommands():
    done = subprocess.run([client_program(), "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and all(name in done.stdout for name in SUBCOMMANDS)


@pytest.mark.parametrize("arguments", [["no-such"], ["call"], ["run"], ["call", "x", "--no-such"],
                                       ["show"], ["call", "system.echo", "--params", "{"],
                                       ["call", "system.echo", "--params", "[]"],
                                       ["call", "system.echo", "--params", "@/no/such/file"]])
def test_bad_usage_exits_2(client, arguments):
    done = client.run(*arguments)
    assert done.returncode == 2 and done.stderr


@pytest.mark.core
def test_call_prints_data_alone(client, worker):
    done = client.run("call", "system.echo", "--params", '{"x": [1]}', "--no-start-worker")
    assert done.returncode == 0 and json.loads(done.stdout) == {"x": [1]}


def test_call_takes_params_from_a_file_and_from_stdin(client, folder, worker):
    (folder / "p.json").write_text('{"from": "file"}')
    done = client.run("call", "system.echo", "--params", f"@{folder}/p.json")
    assert json.loads(done.stdout) == {"from": "file"}
    done = client.run("call", "system.echo", "--params", "-", stdin='{"from": "stdin"}')
    assert json.loads(done.stdout) == {"from": "stdin"}


def test_an_id_that_is_no_file_name_leads_nowhere_else(spool, client):
    (spool.root / "outside.json").write_text('{"request_id": "../outside", "command": "x"}')
    done = client.run("call", "system.echo", "--id", "../outside-2", "--no-start-worker")
    assert done.returncode == 2 and "cannot name a file" in done.stderr
    for verb in ("show", "cancel", "retry"):
        done = client.run(verb, "../outside")
        assert done.returncode != 0 and "no such request" in done.stderr
    assert [path.name for path in spool.root.glob("outside*")] == ["outside.json"]


def test_call_prints_an_error_to_stderr(client, worker):
    done = client.run("call", "no.such", *QUICK_RETRIES)
    assert done.returncode == 1 and done.stdout == "" and "no.such" in done.stderr


@pytest.mark.parametrize("second", [
    '{"request_id":"a","command":"y","params":{}}',
    '{"request_id":"../b","command":"x","params":{}}',
    "not json",
    '{"request_id":"b","params":{}}',
    '{"request_id":7,"command":"x","params":{}}',
])
def test_a_bad_batch_drops_nothing(spool, client, fake, folder, second):
    fake()
    path = folder / "bad.jsonl"
    path.write_text('{"request_id":"a","command":"x","params":{}}\n' + second + "\n")
    done = client.run(*RUN, path)
    assert done.returncode == 2, done.stderr
    assert "2" in done.stderr, "the line is named"
    assert spool.requests() == set()


def test_an_id_that_stands_for_another_request_is_a_conflict(spool, client, fake):
    fake()
    spool.drop("a", params={"mine": 1})
    done = client.run(*RUN, client.batch(("a", "system.echo", {"yours": 2}),
                                         ("b", "system.echo", {})))
    assert done.returncode == 2 and "a" in done.stderr
    assert spool.requests() == {"a"}
    assert json.loads(spool.request("a").read_text())["params"] == {"mine": 1}


def test_ids_are_derived_when_missing(spool, client, fake, folder):
    worker = fake()
    path = folder / "b.jsonl"
    path.write_text('{"command":"system.echo","params":{"n":1}}\n'
                    '{"command":"system.echo","params":{"n":2}}\n')
    assert client.run(*RUN, path).returncode == 0
    assert len(spool.responses()) == 2
    assert client.run(*RUN, path).returncode == 0
    assert sum(worker.attempts.values()) == 2, "the same input has the same ids"


def test_a_batch_from_stdin_and_from_a_folder(spool, client, fake, folder):
    fake()
    done = client.run(*RUN, "-", stdin=spool.text("from-stdin") + "\n")
    assert done.returncode == 0, done.stderr
    (folder / "batch").mkdir()
    for i in range(3):
        (folder / "batch" / f"f{i}.json").write_text(spool.text(f"f{i}"))
    assert client.run(*RUN, folder / "batch").returncode == 0
    assert spool.responses() == {"from-stdin", "f0", "f1", "f2"}


@pytest.mark.core
def test_results_and_report(spool, client, fake, folder):
    fake(lambda request, attempt: error("<b>bad</b>", error_code="unavailable")
         if request["request_id"] == "r3" else success({"n": 1}))
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(10)])
    done = client.run(*RUN, "--out", folder / "out.jsonl", "--report", folder / "report", batch)
    assert done.returncode == 1, done.stderr
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert {row["request_id"] for row in rows} == {f"r{i}" for i in range(10)}
    files = {p.suffix for p in (folder / "report").iterdir()}
    assert {".csv", ".json", ".html"} <= files
    page = next((folder / "report").glob("*.html")).read_text()
    assert "<script src=" not in page and "http://" not in page.split("<body")[0]
    assert "<b>bad</b>" not in page, "text from outside is escaped"
    text = done.stdout + done.stderr
    assert "p50" in text or "50" in text
    assert "unavailable" in text


def test_status_and_show(spool, client, fake):
    fake(lambda request, attempt: error("broken") if request["request_id"] == "b" else success())
    client.run(*RUN, client.batch(("a", "system.echo"), ("b", "system.echo")))
    status = client.status()
    assert {r["request_id"]: (r["state"], r["attempt"]) for r in status["requests"]} == {
        "a": ("SUCCESS", 1), "b": ("GAVE_UP", 3)}
    done = client.run("show", "b", "--json")
    assert done.returncode == 0 and "broken" in done.stdout
    json.loads(done.stdout)
    assert client.run("show", "nobody").returncode != 0


def test_status_counts_what_no_run_drives(spool, client, fake):
    fake(lambda request, attempt: error("broken") if request["request_id"] == "b" else success())
    client.run(*RUN, client.batch(("a", "system.echo"), ("b", "system.echo")))
    for i in range(20_002):
        (spool.root / "requests" / f"s{i}.json").touch()
    for i in range(20_001):
        (spool.root / "responses" / f"s{i}.json").write_text(json.dumps(
            {"request_id": f"s{i}", "status": "success", "data": {}}))
    (spool.root / "responses/s7.json").write_text(
        '{"status": "error", "error_message": "no", "request_id": "s7"}')
    known = {"NEW": 1, "POLLING": 0, "WAITING": 0, "SUCCESS": 20_001, "GAVE_UP": 2}
    first = json.loads(client.run("status", "--counts", "--json").stdout)
    assert "requests" not in first
    assert first["total"] == 20_004 and first["unread"] == 1
    assert sum(first["counts"].values()) == 20_003
    text = client.run("status").stdout
    assert "20 004 requests" in text and "SUCCESS 20 001" in text, "the second look reads the rest"
    for options in (["--counts"], ["--counts", "--read"], ["--limit", "3"]):
        whole = json.loads(client.run("status", "--json", *options).stdout)
        assert whole["counts"] == known and whole["unread"] == 0
    (spool.root / "client/seen-answers").unlink()
    assert json.loads(client.run("status", "--counts", "--json", "--read").stdout)["unread"] == 0


def test_status_counts_what_its_options_select(spool, client, fake):
    fake(lambda request, attempt: error("broken") if request["request_id"] == "b" else success())
    client.run(*RUN, client.batch(("a", "system.echo"), ("b", "system.echo")))
    (spool.root / "requests/script.json").touch()
    name = client.status()["requests"][0]["batch"]
    for options, total, states in (
            ([], 3, {"SUCCESS": 1, "GAVE_UP": 1, "NEW": 1}),
            (["--state", "GAVE_UP"], 1, {"GAVE_UP": 1}),
            (["--batch", name], 2, {"SUCCESS": 1, "GAVE_UP": 1}),
            (["--batch", name, "--state", "NEW"], 0, {})):
        for more in ([], ["--limit", "1"], ["--counts"]):
            seen = json.loads(client.run("status", "--json", *options, *more).stdout)
            assert seen["total"] == total, (options, more)
            assert {s: n for s, n in seen["counts"].items() if n} == states, (options, more)
        text = client.run("status", "--counts", *options).stdout
        assert f"{total} request" in text, text


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_call_does_not_claim_success_for_an_answer_that_changed(spool, client, fake, options):
    fake(lambda request, attempt: success())
    again = ("call", "system.echo", "--id", "k", *RUN[1:], *options)
    assert client.run(*again).returncode == 0
    response = spool.root / "responses/k.json"
    response.write_text(json.dumps({"request_id": "k", "status": "error", "data": None,
                                    "error_message": "the flag is gone"}))
    done = client.run(*again)
    assert done.returncode == 1 and "the flag is gone" in done.stdout + done.stderr
    assert "null" not in done.stdout.splitlines()


def test_watch_until_idle_ends_when_nothing_is_left(spool, client, fake):
    worker = fake(lambda request, attempt: error() if attempt == 1 else success())
    assert client.run("watch", "--until-idle", "--no-start-worker").returncode == 0
    for i in range(20):
        spool.drop(f"r{i}")
    done = client.run("watch", "--until-idle", "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 0, done.stderr
    assert len(spool.responses()) == 20 and set(worker.attempts.values()) == {2}
    assert client.status()["counts"]["SUCCESS"] == 20


def test_the_example_for_cron_retries_and_forgets_no_failure(spool, folder, client, start_worker):
    """Its night line, as cron gives it to a shell."""
    config = folder / "worker.yaml"
    config.write_text(json.dumps({"tool": {"allow": ["sh"], "roots": [str(folder)]}}))
    flag = folder / "flag"
    for stem, path in (("heals", flag), ("fails", folder / "never")):
        spool.drop(stem, "tool.run", {"argv": ["sh", "-c", f"test -e {path}"],
                                   "check": True})
    assert start_worker("--config", config, "--drain", wait=False).wait() == 0
    watched = client.run("watch", "--until-idle", "--start-worker", "--attempts", 1)
    assert watched.returncode == 1, watched.stderr
    assert client.status()["counts"]["GAVE_UP"] == 2
    client.run("worker", "stop")
    flag.touch()
    line = (TOP / "scripts/examples/filecall.cron").read_text().splitlines()[-1]
    command = line.split(None, 6)[6]
    environment = {**os.environ, "FILECALL_ROOT": str(spool.root),
                   "PATH": f"{client_program().parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True,
                          timeout=60 * SLOW, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 1, done.stderr
    assert "fails" in done.stdout and "heals" not in done.stdout
    assert client.state_of("heals") == "SUCCESS" and client.state_of("fails") == "GAVE_UP"
    assert spool.failed_path("fails").exists() and not spool.failed_path("heals").exists()
    assert client.run("worker", "status").returncode == 3, "none is left behind"


def test_cancel(spool, client, worker):
    spool.drop("a", "tool.run", {"argv": ["sleep", "60"]})
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "it runs")
    assert client.run("cancel", "a").returncode == 0
    assert spool.wait_response("a")["error_code"] == "cancelled"


@pytest.mark.core
def test_a_cancel_without_a_worker_is_kept_by_the_next_one(spool, client, start_worker, folder):
    """The second time as well: a retry counts attempts afresh."""
    start_worker("--drain", wait=False).process.wait(DEADLINE)
    spool.drop("a", "tool.run", {"argv": ["sh", "-c", f"echo ran >> {folder}/ran"]})
    for _ in range(2):
        done = client.run("cancel", "a", "--patience", "200ms")
        assert done.returncode == 0 and "no worker answered within 0.2s" in done.stdout
        start_worker("--drain", config=TOOLS, wait=False).process.wait(DEADLINE)
        assert spool.response("a")["error_code"] == "cancelled"
        assert not (folder / "ran").exists()
        assert client.run("retry", "a").returncode == 0


@pytest.mark.parametrize("is_killed", [False, True])
def test_no_waiting_request_begins_because_others_are_cancelled(spool, client, start_worker, folder,
                                                               is_killed):
    ran = folder / "ran"
    ran.touch()
    ids = [f"r{i:03}" for i in range(200)]
    last = {"r198", "r199"}
    batch = client.batch(*({"request_id": i, "command": "tool.run", "priority": int(i in last),
                            "params": {"argv": ["sh", "-c", f"echo {i} >>{ran}; sleep 60"]}}
                           for i in ids))
    start_worker(config={"tool": {"allow": ["sh"], "roots": [str(folder)], "concurrency": 2}})
    assert client.run("pause").returncode == 0
    run = client.start("run", batch, "--no-start-worker", "--quiet")
    wait_until(lambda: len(spool.requests()) == len(ids), "all were dropped")
    assert client.run("resume").returncode == 0
    wait_until(lambda: set(ran.read_text().split()) == last, "those run that were dropped last")
    if is_killed:
        run.kill()
        run.wait()
    done = client.run("cancel", "--batch", batch.name, "--patience", "30s")
    assert done.returncode == 0 and done.stdout.count(": cancelled") == len(ids), done.stdout
    assert set(ran.read_text().split()) == last
    run.wait()
    assert {spool.wait_response(i)["error_code"] for i in ids} == {"cancelled"}


def test_cancel_by_batch_and_all(spool, client, worker):
    for i in range(3):
        spool.drop(f"a{i}", "tool.run", {"argv": ["sleep", "60"]})
    wait_until(lambda: spool.status()["counts"]["executing"] >= 1, "one runs")
    assert client.run("cancel").returncode == 2
    assert client.run("cancel", "a0", "--all").returncode == 2
    other = client.run("cancel", "--batch", "other")
    assert other.returncode == 2 and "no batch is named" in other.stderr
    done = client.run("cancel", "--all", "--json")
    assert done.returncode == 0, done.stderr
    assert [(row["request_id"], row["effect"]) for row in json.loads(done.stdout)] == [
        (f"a{i}", "cancelled") for i in range(3)]
    assert {spool.wait_response(f"a{i}")["error_code"] for i in range(3)} == {"cancelled"}


def test_gc_leaves_tombstones_so_that_nothing_runs_again(spool, client, fake):
    worker = fake()
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(5)])
    assert client.run(*RUN, batch).returncode == 0
    assert client.run("gc", "--older-than", "1h").returncode == 0
    assert len(spool.requests()) == 5
    evaluation = spool.root / "eval" / "r3.json"
    evaluation.parent.mkdir(exist_ok=True)
    evaluation.write_text("{}")
    of_r3, foreign = '{"request_id":"r3","evaluations":{}}\n', "what nobody can read\n"
    (spool.root / "eval" / "grades.jsonl").write_text(of_r3 + foreign)
    assert client.run("gc", "--older-than", "0s").returncode == 0
    assert spool.requests() == set() and spool.responses() == set()
    assert not evaluation.exists()
    assert (spool.root / "eval" / "grades.jsonl").read_text() == foreign
    assert json.loads(client.run("gc", "--older-than", "0s", "--forget-after", "1h",
                                 "--json").stdout)["forgotten"] == 0
    assert client.run(*RUN, batch).returncode == 1, "its answers are gone"
    assert set(worker.attempts.values()) == {1}


def test_gc_leaves_what_is_unfinished(spool, client, fake):
    fake(lambda request, attempt: None)
    spool.drop("pending")
    assert client.run("gc", "--older-than", "0s").returncode == 0
    assert spool.request("pending").exists()


def test_doctor(spool, client, worker):
    done = client.run("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    json.loads(client.run("doctor", "--json").stdout)
    spool.root.chmod(0o777)
    done = client.run("doctor")
    assert done.returncode != 0 and "chmod" in done.stdout + done.stderr
    spool.root.chmod(0o700)


def test_doctor_asks_the_servers_of_a_configuration(spool, client, tmp_path):
    config = tmp_path / "worker.yaml"
    config.write_text("llm: {providers: {mine: {kind: openai, base_url: 'http://127.0.0.1:9/v1'}}}")
    done = client.run("doctor", "--worker-config", config, "--allow-shared-root")
    assert done.returncode == 1
    assert "mine: openai" in done.stdout and "does not answer" in done.stdout
    config.write_text("llm: {providers: 7}")
    done = client.run("doctor", "--worker-config", config, "--allow-shared-root")
    assert done.returncode == 1 and f"{config} is refused" in done.stdout


def test_the_process_manager(spool, client):
    assert client.run("worker", "status").returncode == 3
    done = client.run("worker", "start")
    assert done.returncode == 0, done.stderr
    pid = spool.status()["pid"]
    assert client.run("worker", "start").returncode == 0
    assert spool.status()["pid"] == pid, "a singleton"
    assert client.run("worker", "status").returncode == 0
    assert client.run("worker", "restart").returncode == 0
    assert spool.status()["pid"] != pid
    assert client.run("worker", "logs").returncode == 0
    assert client.run("worker", "stop").returncode == 0
    assert spool.status()["state"] == "stopped"
    assert client.run("worker", "status").returncode == 3


def test_schemas_are_printed_and_are_schemas(client):
    listed = subprocess.run([client_program(), "schema"], capture_output=True, text=True,
                            check=True).stdout.split()
    assert {"request", "response"} <= set(listed)
    for name in listed:
        text = subprocess.run([client_program(), "schema", name], capture_output=True, text=True,
                              check=True).stdout
        jsonschema.Draft7Validator.check_schema(json.loads(text))


def test_what_the_programs_write_fits_the_schemas(spool, client, worker):
    def schema(name):
        return json.loads(subprocess.run([client_program(), "schema", name], capture_output=True,
                                         text=True, check=True).stdout)

    client.run("call", "system.echo")
    client.run("call", "no.such", "--attempts", 1)
    assert len(spool.responses()) == 2
    for stem in spool.responses():
        jsonschema.validate(spool.response(stem), schema("response"))
        jsonschema.validate(json.loads(spool.request(stem).read_text()), schema("request"))
    jsonschema.validate(spool.status(), schema("worker_status"))
    assert Spool
