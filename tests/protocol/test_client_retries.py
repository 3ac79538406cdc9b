# SPDX-License-Identifier: MIT
"""Client rules 1 to 3: attempts, backoff, time-outs, and what the files show afterwards."""

import json

import pytest

from fake_worker import error, success
from harness import QUICK_RETRIES, wait_until

pytestmark = pytest.mark.core
RUN = ("run", "--no-start-worker", *QUICK_RETRIES)


def test_success_moves_and_deletes_nothing(spool, client, fake):
    fake()
    done = client.run(*RUN, client.batch(("a", "system.echo", {"x": 1})))
    assert done.returncode == 0, done.stderr
    assert spool.response("a")["data"] == {"x": 1}
    assert spool.request("a").exists() and not spool.failed_path("a").exists()
    assert client.state_of("a") == "SUCCESS"


def test_an_error_is_retried_until_it_succeeds(spool, client, fake):
    worker = fake(lambda request, attempt: success({"n": attempt}) if attempt == 3 else error())
    done = client.run(*RUN, client.batch(("a", "system.echo")))
    assert done.returncode == 0, done.stderr
    assert worker.attempts["a"] == 3 and spool.response("a")["data"] == {"n": 3}
    assert not spool.failed_path("a").exists()


def test_three_attempts_then_a_copy_in_failed(spool, client, fake):
    worker = fake(lambda request, attempt: error(f"number {attempt}"))
    done = client.run(*RUN, client.batch(("a", "system.echo"), ("b", "system.echo")))
    assert done.returncode == 1, done.stderr
    assert worker.attempts == {"a": 3, "b": 3}
    assert spool.response("a")["error_message"] == "number 3"
    assert spool.failed_path("a").read_bytes() == spool.response_path("a").read_bytes()
    assert client.state_of("a") == "GAVE_UP"


def test_some_given_up_exits_1(client, fake):
    fake(lambda request, attempt: error() if request["request_id"] == "b" else success())
    done = client.run(*RUN, client.batch(("a", "system.echo"), ("b", "system.echo")))
    assert done.returncode == 1
    assert client.status()["counts"]["SUCCESS"] == 1
    assert client.status()["counts"]["GAVE_UP"] == 1


def test_not_retryable_gives_up_at_once(spool, client, fake):
    worker = fake(lambda request, attempt: error(retryable=False, error_code="invalid_argument"))
    assert client.run(*RUN, client.batch(("a", "system.echo"))).returncode == 1
    assert worker.attempts["a"] == 1
    assert spool.failed_path("a").exists() and spool.response_path("a").exists()


def test_retryable_true_is_retried(client, fake):
    worker = fake(lambda request, attempt: error(retryable=True, error_code="invalid_argument"))
    assert client.run(*RUN, client.batch(("a", "system.echo"))).returncode == 1
    assert worker.attempts["a"] == 3


def test_retry_after_is_a_floor(client, fake):
    worker = fake(lambda request, attempt: success() if attempt == 2
                  else error(retry_after_ms=700))
    assert client.run(*RUN, client.batch(("a", "system.echo"))).returncode == 0
    first, second = worker.seen_at["a"]
    assert second - first >= 0.69


def limited(wait_ms):
    return error(error_code="resource_exhausted", retryable=True, retry_after_ms=wait_ms)


def test_being_told_when_to_come_back_uses_up_no_attempt(client, fake):
    worker = fake(lambda request, attempt: success() if attempt == 6 else limited(20))
    done = client.run(*RUN, "--attempts", 1, client.batch(("a", "system.echo")))
    assert done.returncode == 0, done.stderr
    assert worker.attempts["a"] == 6


def test_a_limit_that_never_ends_is_given_up(spool, client, fake):
    worker = fake(lambda request, attempt: limited(20))
    done = client.run(*RUN, "--attempts", 2, "--max-pause", "3s",
                      client.batch(("a", "system.echo")))
    assert done.returncode == 1
    assert worker.attempts["a"] == 3 + 2, "each pause is charged a second, then attempts count"
    assert spool.failed_path("a").exists()


def test_pauses_count_as_attempts_when_they_may_not_last(client, fake):
    worker = fake(lambda request, attempt: limited(20))
    assert client.run(*RUN, "--max-pause", 0,
                      client.batch(("a", "system.echo"))).returncode == 1
    assert worker.attempts["a"] == 3


def test_the_number_of_attempts_is_an_option(client, fake):
    worker = fake(lambda request, attempt: error())
    assert client.run(*RUN, "--attempts", 5, client.batch(("a", "system.echo"))).returncode == 1
    assert worker.attempts["a"] == 5


def test_a_time_out_cancels_and_fails_with_deadline_exceeded(spool, client, fake):
    worker = fake(lambda request, attempt: None)
    done = client.run(*RUN, "--attempts", 2, "--timeout", "300ms",
                      client.batch(("a", "system.echo")))
    assert done.returncode == 1, done.stderr
    assert "a" in worker.cancelled
    copy = json.loads(spool.failed_path("a").read_bytes())
    assert copy["request_id"] == "a" and copy["status"] == "error"
    assert copy["error_code"] == "deadline_exceeded"
    assert not spool.response_path("a").exists()


def test_a_time_out_against_a_real_worker(spool, client, worker):
    batch = client.batch(("a", "tool.run", {"argv": ["sleep", "60"]}))
    done = client.run(*RUN, "--attempts", 1, "--timeout", "500ms", batch)
    assert done.returncode == 1, done.stderr
    assert json.loads(spool.failed_path("a").read_bytes())["error_code"] in (
        "deadline_exceeded", "cancelled")
    wait_until(lambda: spool.status()["counts"]["executing"] == 0, "the tool has ended")


def test_a_response_that_is_no_json_is_not_taken_for_success(spool, client, fake):
    fake()
    spool.response_path("a").write_text("garbage")
    done = client.run(*RUN, "--timeout", "1s", client.batch(("a", "system.echo")))
    assert done.returncode in (0, 1)
    if done.returncode == 0:
        assert spool.response("a")["status"] == "success"


@pytest.mark.parametrize("response,state,code", [
    ({"request_id": "a", "status": "success", "data": {"old": 1}}, "SUCCESS", 0),
])
def test_without_a_database_the_files_are_believed(spool, client, fake, response, state, code):
    worker = fake()
    spool.drop("a")
    spool.response_path("a").write_text(json.dumps(response))
    done = client.run(*RUN, client.batch(("a", "system.echo")))
    assert done.returncode == code, done.stderr
    assert client.state_of("a") == state and "a" not in worker.attempts
    assert spool.response("a")["data"] == {"old": 1}


def test_an_error_found_counts_as_the_first_attempt(spool, client, fake):
    spool.drop("a")
    spool.response_path("a").write_text(json.dumps({"request_id": "a", **error("old")}))
    worker = fake(lambda request, attempt: error("new"))
    assert client.run(*RUN, client.batch(("a", "system.echo"))).returncode == 1
    assert worker.attempts["a"] == 2


def test_a_copy_in_failed_means_given_up(spool, client, fake):
    spool.drop("a")
    (spool.root / "failed").mkdir(mode=0o700, exist_ok=True)
    text = json.dumps({"request_id": "a", **error("old")})
    spool.failed_path("a").write_text(text)
    spool.response_path("a").write_text(text)
    worker = fake()
    assert client.run(*RUN, client.batch(("a", "system.echo"))).returncode == 1
    assert worker.attempts == {}


def test_retry_gives_another_three_attempts(spool, client, fake):
    healed = []
    fake(lambda request, attempt: success() if healed else error())
    batch = client.batch(("a", "system.echo"))
    assert client.run(*RUN, batch).returncode == 1
    healed.append(1)
    done = client.run("retry", "--failed")
    assert done.returncode == 0, done.stderr
    assert client.run(*RUN, batch).returncode == 0
    assert spool.response("a")["status"] == "success"
    assert not spool.failed_path("a").exists()


def test_retry_takes_those_of_a_code_and_a_command(spool, client, fake):
    codes = {"a": "aborted", "b": "aborted", "c": "not_found"}
    worker = fake(lambda request, attempt: error(retryable=False,
                                                 error_code=codes[request["request_id"]]))
    batch = client.batch(("a", "system.echo"), ("b", "tool.run", {"argv": ["x"]}),
                         ("c", "tool.run", {"argv": ["x"]}))
    assert client.run(*RUN, batch).returncode == 1
    worker.stop()

    def retried(*options):
        done = client.run("retry", "--failed", *options, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["retried"]

    assert retried("--code", "unavailable") == []
    left = json.loads(client.run("retry", "--failed", "--batch", batch.name, "--json").stdout)
    assert left["retried"] == ["c"] and left["left_out"] == {
        "cancelled": 0, "aborted": 2, "of_runs": 0}
    # Where a crontab does not drop it.
    said = client.run("retry", "--failed", "--batch", batch.name).stderr
    assert "2 that were interrupted may have had effects; look at them" in said
    worker = fake(lambda request, attempt: error(retryable=False, error_code="not_found"))
    assert client.run(*RUN, batch).returncode == 1
    worker.stop()
    assert retried("--code", "aborted", "--command", "tool.run") == ["b"]
    assert retried("--command", "tool.run") == ["c"]
    assert retried("--code", "aborted") == ["a"]
    assert client.run("retry", "a", "--code", "aborted").returncode == 2


def test_a_retry_keeps_the_failure_until_there_is_a_new_outcome(spool, client, fake):
    worker = fake(lambda request, attempt: error(retryable=False))
    batch = client.batch(("a", "system.echo"), ("b", "system.echo"))
    assert client.run(*RUN, batch).returncode == 1
    failure = spool.failed_path("a").read_bytes()
    worker.stop()  # Nothing drives it, and nobody answers.
    assert client.run("retry", "a", "b").returncode == 0
    assert spool.failed_path("a").read_bytes() == failure
    shown = json.loads(client.run("show", "a", "--json").stdout)
    assert shown["state"] == "NEW" and shown["error_code"], shown
    fake(lambda request, attempt: error("another reason", retryable=False))
    spool.failed_path("b").write_text("damaged")
    done = client.run("watch", "--until-idle", "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 1, done.stderr
    for stem in "ab":
        assert "another reason" in spool.failed_path(stem).read_text()


def test_retry_failed_leaves_what_was_cancelled(spool, client, fake):
    """The nightly `retry --failed` ran again what somebody had ended for good."""
    worker = fake(lambda request, attempt: None)
    spool.drop("a", "system.echo")
    wait_until(lambda: worker.attempts.get("a"), "it executes")
    assert client.run("cancel", "a").returncode == 0
    done = client.run("retry", "--failed")
    assert done.returncode == 0 and "1 that somebody cancelled" in done.stdout, done.stdout
    assert client.state_of("a") == "GAVE_UP"
    done = json.loads(client.run("retry", "--failed", "--code", "cancelled", "--json").stdout)
    assert done["retried"] == ["a"]


def test_retry_failed_knows_the_command_of_what_a_script_dropped(spool, client, fake):
    """No client had read its request: it was of no command."""
    fake(lambda request, attempt: error(retryable=False, error_code="not_found"))
    spool.drop("a", "tool.run", {"argv": ["x"]})
    spool.drop("b", "system.echo")
    wait_until(lambda: all(spool.response_path(stem).exists() for stem in "ab"), "answers")
    done = json.loads(client.run("retry", "--failed", "--command", "tool.run", "--json").stdout)
    assert done["retried"] == ["a"]


def test_a_retry_that_takes_nothing_says_why_and_can_be_silent(client, fake):
    """It said that no request was given up, and told cron of the same ones each night."""
    codes = {"c": "cancelled", "x": "aborted"}
    fake(lambda request, attempt: error(error_code=codes[request["request_id"]], retryable=False))
    batch = client.batch(("c", "system.echo"), ("x", "system.echo"))
    taken = ("'filecall retry --failed --code cancelled' and 'filecall retry --failed --code "
             "aborted' and the same ")
    for command in ((*RUN, batch), (*RUN, batch), ("report",)):
        done = client.run(*command)
        assert done.returncode == 1 and taken in done.stderr, done.stderr
    assert "retry" not in client.run("gc", "--older-than", "0s").stdout
    done = client.run("retry", "--failed")
    assert done.returncode == 0
    assert "Nothing is retried: of 2 requests that were given up" in done.stdout, done.stdout
    assert "--code cancelled takes it" in done.stdout and "--code aborted takes it" in done.stderr
    done = client.run("retry", "--failed", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert client.run("retry", "--failed", "--code", "cancelled").returncode == 0
    assert "No request of these was given up" in client.run(
        "retry", "--failed", "--code", "unavailable").stdout
