# SPDX-License-Identifier: MIT
"""Fixtures of the black-box suites."""

import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

import endpoint as llm
import fake_worker
import harness
import kube_cluster
import kube_exec
import kube_stub
import printed_schemas
import prompt_rules
import result_schemas

# A shell starts what it puts into the background with SIGINT ignored, programs keep it so, and the
# tests send it. (An ignored signal is inherited, a handled one is not.)
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def folder(request):
    """A private directory on tmpfs (on disk with FILECALL_TEST_DISK=1), gone after the test."""
    memory = os.access("/dev/shm", os.W_OK) and not os.environ.get("FILECALL_TEST_DISK")
    path = Path(tempfile.mkdtemp(prefix="filecall-test-", dir="/dev/shm" if memory else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def spool(folder):
    return result_schemas.CheckedSpool(folder / "root")


@pytest.fixture
def start_worker(spool, folder):
    """start_worker(*flags, config=, spools=, wait=, env=) -> Worker, ended after the test."""
    started = []

    def start(*arguments, config=None, spools=None, **options):
        worker = harness.Worker(spools or [spool], arguments, config, folder, **options)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        if worker.process.poll() is None:
            worker.kill()
    for worker in started:
        text = worker.output()
        assert "AddressSanitizer" not in text and "runtime error:" not in text, text


@pytest.fixture
def worker(start_worker):
    """A ready worker that may run the programs of harness.TOOLS."""
    return start_worker(config=harness.TOOLS)


@pytest.fixture
def endpoint(folder):
    """A provider of language models that does what model names say, ended after the test."""
    started = llm.Endpoint(folder)
    yield started
    started.stop()


@pytest.fixture
def telling_endpoint(endpoint):
    """The same, whose calls() have the bodies (sent) and keys (sent_key) as well."""
    endpoint.stop()
    endpoint.start_again("--texts", 1)
    return endpoint


@pytest.fixture
def llm_worker(start_worker, endpoint):
    """A ready worker whose providers chat, responses and messages are the endpoint."""
    return start_worker(config=endpoint.config(), env=llm.environment())


def own_cluster():
    """What a fixture yields from: a real API server that ends with it."""
    missing = kube_cluster.missing()
    if missing:
        pytest.skip(missing)
    started = kube_cluster.start()
    yield started
    started.stop()
    shutil.rmtree(started.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster():
    """A real API server, one for all tests of a run."""
    yield from own_cluster()


@pytest.fixture
def kube_worker(start_worker, cluster, folder):
    """kube_worker(config=None, kube=None, flags=(), **users) -> a ready worker that is given this
    kubeconfig (by default the administrator's) and `kube:` configuration."""
    def start(config=None, kube=None, flags=(), **users):
        path = cluster.write_config(folder / "kubeconfig", config, **users)
        return start_worker(*flags, config={"kube": kube} if kube else None,
                            env=kube_cluster.environment(path, folder))
    return start


@pytest.fixture
def kube_stub_worker(start_worker, folder):
    """kube_stub_worker(paths) -> a Stub whose worker is ready; both end with the test."""
    started = []

    def start(paths, config=None):
        stub = kube_stub.Stub(paths)
        started.append(stub)
        path = folder / "stub.kubeconfig"
        path.write_text(json.dumps(stub.config()))
        start_worker(config=config, env=kube_cluster.environment(path, folder))
        return stub

    yield start
    for stub in started:
        stub.stop()


@pytest.fixture
def exec_stub(kube_stub_worker):
    """exec_stub(answer, pod=POD, allowed=ALLOWED) -> a Stub whose pod `web` answers so."""
    def start(answer, pod=None, allowed=None):
        stub = kube_stub_worker({kube_exec.PATH: pod or kube_exec.POD},
                                config={"kube": {"exec": allowed or kube_exec.ALLOWED}})
        kube_exec.serve(stub, answer)
        return stub
    return start


@pytest.fixture
def spec(folder):
    """spec(graders, **members) -> the path of a specification called "quality"."""
    def write(*graders, **members):
        path = folder / "spec.yaml"
        path.write_text(json.dumps({"name": "quality", "graders": graders, **members}))
        return path
    return write


@pytest.fixture
def client(spool, folder):
    return printed_schemas.CheckedClient(spool, folder)


@pytest.fixture
def line(spool, folder, start_worker):
    """A worker with one place, which is taken until line.go()."""
    class Line:
        worker = start_worker(config=harness.with_tool(concurrency=1))

        def note(self, word):
            return harness.shell(f"echo {word} >>{folder}/order")

        def noted(self):
            path = folder / "order"
            return path.read_text().split() if path.exists() else []

        def waiting(self):
            return sum(d["waiting"] for d in spool.status().get("destinations", [])
                       if d["name"] == "tool")

        def wait(self, count):
            harness.wait_until(lambda: self.waiting() == count, f"{count} wait for the place")

        def go(self):
            (folder / "go").touch()

    spool.drop("blocker", "tool.run",
               harness.shell(f"while [ ! -e {folder}/go ]; do sleep 0.02; done"))
    harness.wait_until(lambda: spool.status()["counts"]["executing"] == 1, "the blocker runs")
    return Line()


@pytest.fixture
def fake(spool):
    """fake(answer, publishes_status=True) -> FakeWorker, stopped after the test."""
    started = []

    def start(answer=lambda request, attempt: fake_worker.success(request["params"]), **options):
        worker = fake_worker.FakeWorker(spool, answer, **options)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.stop()


@pytest.fixture(autouse=True)
def prompts_keep_their_rules(folder):
    """Every prompt of an agent that a test leaves in a root is held against the rules."""
    yield
    prompt_rules.check_folder(folder)


@pytest.fixture(autouse=True)
def no_worker_is_left(request, folder):
    """A worker that a client started detached ends with the test."""
    yield
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            line = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if any(word.startswith(os.fsencode(folder)) for word in line) and \
                any(word.endswith(b"filecall-worker") for word in line[:1]):
            os.kill(int(entry), 9)
