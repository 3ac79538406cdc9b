# SPDX-License-Identifier: MIT
"""Any list of kubeconfig files means to the worker what it means to kubectl. Needs no server."""

import json
import os
import re
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kube_cluster
from harness import worker_program

# Few names, so that they meet. Nobody listens there; the path tells the servers apart.
NAMES = st.sampled_from(["a", "b", "c", "y", "no", "0x1", "with space"])
SERVERS = st.integers(0, 9).map(lambda n: f"http://127.0.0.1:1/p{n}")
CLUSTERS = st.fixed_dictionaries({"server": SERVERS})
CONTEXTS = st.fixed_dictionaries({"cluster": NAMES}, optional={"namespace": NAMES})


def entries(member, values):
    return st.dictionaries(NAMES, values, max_size=3).map(
        lambda found: [{"name": name, member: value} for name, value in found.items()])


FILES = st.lists(st.fixed_dictionaries({}, optional={
    "clusters": entries("cluster", CLUSTERS), "contexts": entries("context", CONTEXTS),
    "current-context": NAMES}), min_size=1, max_size=4)


@pytest.fixture(scope="module", autouse=True)
def oracle():
    missing = kube_cluster.missing()
    if missing:
        pytest.skip(missing)


def theirs(folder, kubeconfig):
    """What kubectl makes of it: {context: server} of contexts whose cluster exists, and the
    current one."""
    done = subprocess.run([kube_cluster.kubectl_program(), "config", "view", "--raw", "-o", "json"],
                          env={"KUBECONFIG": kubeconfig, "HOME": str(folder)}, check=True,
                          capture_output=True, text=True)
    view = json.loads(done.stdout)
    servers = {c["name"]: c["cluster"]["server"] for c in view["clusters"] or []}
    found = {c["name"]: servers[c["context"]["cluster"]] for c in view["contexts"] or []
             if c["context"].get("cluster") in servers}
    return found, view["current-context"]


def ours(folder, kubeconfig):
    done = subprocess.run([worker_program(), "--check-config"], capture_output=True, text=True,
                          check=True, env={**os.environ,
                                           **kube_cluster.environment(kubeconfig, folder)})
    lines = [line for line in done.stdout.splitlines() if line.startswith("context ")]
    found = {}
    for line in lines:
        match = re.match(r"context (.*): (http://127\.0\.0\.1:1/p\d): does not answer", line)
        if match:
            found[match.group(1)] = match.group(2)
    first = re.match(r"context (.*?): ", lines[0]).group(1) if lines else ""
    return found, first


def test_files_are_merged_as_by_kubectl(folder):
    @settings(max_examples=25, deadline=None, database=None,
              suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(FILES)
    def check(files):
        paths = []
        for i, file in enumerate(files):
            paths.append(folder / f"config{i}")
            paths[-1].write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **file}))
        kubeconfig = ":".join(map(str, [folder / "missing", *paths, paths[0]]))
        expected, current = theirs(folder, kubeconfig)
        found, first = ours(folder, kubeconfig)
        assert found == expected
        if current in expected:
            assert first == current

    check()


@pytest.mark.parametrize("text", ["contexts: [{name: y}]", "clusters: {a: b}", "kind: Pod",
                                  "users: [{name: a, user: {token: 7}}]", "a: [", "clusters: 3"])
def test_a_file_that_kubectl_refuses_is_refused(folder, text):
    path = folder / "config"
    path.write_text("apiVersion: v1\n" + text)
    done = subprocess.run([kube_cluster.kubectl_program(), "config", "view"], check=False,
                          env={"KUBECONFIG": str(path), "HOME": str(folder)}, capture_output=True)
    assert done.returncode != 0
    out = subprocess.run([worker_program(), "--check-config"], capture_output=True, text=True,
                         check=True, env={**os.environ,
                                          **kube_cluster.environment(path, folder)}).stdout
    assert f"kubeconfig {path}" in out
