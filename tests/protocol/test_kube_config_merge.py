# SPDX-License-Identifier: MIT
"""Any list of kubeconfig files means to the worker what it means to kubectl. Needs no server."""

import base64
import json
import os
import re
import subprocess
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kube_cluster
from harness import worker_program

# Few names, so that they meet. Nobody listens there; the path tells the servers apart, and the
# certificate's file tells the users apart and whose directory a relative path starts from.
NAMES = ["a", "b", "no", "with space"]
NUMBERS = st.integers(0, 9)
CLUSTERS = NUMBERS.map(lambda n: {"server": f"https://127.0.0.1:1/p{n}"})
USERS = NUMBERS.map(lambda n: {"client-certificate": f"./cert-{n}", "client-key": f"cert-{n}"})
CONTEXTS = st.fixed_dictionaries(
    {"cluster": st.sampled_from([*NAMES, "nowhere"]), "user": st.sampled_from([*NAMES, "nobody"])},
    optional={"namespace": st.sampled_from(NAMES)})


def entries(member, values, names=st.sampled_from(NAMES), **sizes):
    return st.dictionaries(names, values, **sizes).map(
        lambda found: [{"name": name, member: value} for name, value in found.items()])


MEMBERS = {"clusters": entries("cluster", CLUSTERS), "users": entries("user", USERS),
           "contexts": entries("context", CONTEXTS), "current-context": st.sampled_from(NAMES)}
# A file has some of all that; one, wherever it stands, has nearly all, so that contexts are whole.
WHOLE = st.fixed_dictionaries({
    "clusters": entries("cluster", CLUSTERS, min_size=3),
    "users": entries("user", USERS, min_size=3),
    "contexts": entries("context", CONTEXTS, min_size=3)}, optional={
        "current-context": st.sampled_from(NAMES)})
FILES = st.tuples(st.lists(st.fixed_dictionaries({}, optional=MEMBERS), min_size=1, max_size=3),
                  WHOLE).flatmap(lambda made: st.permutations([*made[0], made[1]]))
# How a file is named in the list: by its whole path, from the working directory, or twice; a file
# that is not there may stand before it.
SPELLINGS = st.lists(st.sampled_from(["{0}/{1}", "{1}", "{1}:{0}/{1}", "missing:{1}"]), min_size=4,
                     max_size=4)


@pytest.fixture(scope="module", autouse=True)
def oracle():
    missing = kube_cluster.missing()
    if missing:
        pytest.skip(missing)


def theirs(folder, kubeconfig):
    """What kubectl makes of it: {context: (server, certificate)} of contexts that are whole, in the
    order of their names, the current one first."""
    done = subprocess.run([kube_cluster.kubectl_program(), "config", "view", "--raw", "--flatten",
                           "-o", "json"], env={"KUBECONFIG": kubeconfig, "HOME": str(folder)},
                          check=True, capture_output=True, text=True, cwd=folder)
    view = json.loads(done.stdout)
    servers = {c["name"]: c["cluster"]["server"] for c in view["clusters"] or []}
    # The content of every certificate is its path.
    users = {u["name"]: base64.b64decode(u["user"]["client-certificate-data"]).decode()
             for u in view["users"] or []}
    contexts = {c["name"]: c["context"] for c in view["contexts"] or []}
    names = sorted(contexts, key=lambda name: (name != view["current-context"], name))
    return [(name, servers[contexts[name]["cluster"]], users[contexts[name]["user"]])
            for name in names if contexts[name]["cluster"] in servers and
            contexts[name]["user"] in users]


def ours(folder, kubeconfig):
    """The same: the certificates are gone, and each is missed by its name."""
    done = subprocess.run([worker_program(), "--check-config"], capture_output=True, text=True,
                          check=True, cwd=folder,
                          env={**os.environ, **kube_cluster.environment(kubeconfig, folder)})
    found = re.findall(r"^context (.*): (https://127\.0\.0\.1:1/p\d): does not answer: "
                       r"kubeconfig: (\S+) cannot be read", done.stdout, re.MULTILINE)
    return [(name, server, os.path.normpath(folder / path)) for name, server, path in found]


def test_files_are_merged_as_by_kubectl(folder):
    seen = Counter()

    @settings(max_examples=60, deadline=None, database=None, derandomize=True,
              suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(FILES, SPELLINGS)
    def check(files, spellings):
        words, certificates = [], []
        for i, (file, spelling) in enumerate(zip(files, spellings)):
            place = folder / f"d{i}"
            place.mkdir(exist_ok=True)
            whole = {"apiVersion": "v1", "kind": "Config", **file}
            (place / "config").write_text(json.dumps(whole))
            words.append(spelling.format(folder, f"d{i}/config"))
            certificates += [place / f"cert-{n}" for n in range(10)]
        for path in certificates:
            path.write_text(str(path))
        expected = theirs(folder, ":".join(words))
        for path in certificates:
            path.unlink()
        assert ours(folder, ":".join(words)) == expected
        currents = [file.get("current-context") for file in files]
        seen["contexts"] += len(expected)
        seen["currents differ"] += len(set(currents) - {None}) > 1

    check()
    assert seen["contexts"] > 60 and seen["currents differ"] > 10, seen


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
