# SPDX-License-Identifier: MIT
"""Every shell and Python block of README.md and docs/, as a reader would paste them: in an empty
home directory, page by page, in one shell, with the programs on PATH, a scripted provider of
language models and a cluster that holds one object. Pages do not share a root."""

import json
import os
import shlex
import subprocess

import pytest

import kube_stub
import pages
from endpoint import environment
from harness import SLOW, client_program

ROOT = "/tmp/copilot-evaluation"
DEPLOYMENTS = {"name": "deployments", "singularName": "deployment", "namespaced": True,
               "kind": "Deployment", "verbs": ["get", "list", "watch"],
               "shortNames": ["deploy"]}
WEB = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 2},
       "metadata": {"name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "7"},
       "status": {"conditions": [{"type": "Available", "status": "True"}]}}
CLUSTER = {
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{
        "name": "apps", "versions": [{"groupVersion": "apps/v1", "version": "v1"}],
        "preferredVersion": {"groupVersion": "apps/v1", "version": "v1"}}]},
    "/apis/apps/v1": {"kind": "APIResourceList", "groupVersion": "apps/v1",
                      "resources": [DEPLOYMENTS]},
    "/version": {"gitVersion": "v1.30.0"},
    "/apis/apps/v1/namespaces/shop/deployments/web": WEB,
    "/apis/apps/v1/namespaces/shop/deployments": {
        "apiVersion": "apps/v1", "kind": "DeploymentList", "metadata": {"resourceVersion": "7"},
        "items": [WEB]},
}


@pytest.fixture
def kubeconfig(folder):
    stub = kube_stub.Stub(CLUSTER)
    path = folder / "kubeconfig"
    path.write_text(json.dumps(stub.config()))
    yield path
    stub.stop()


def here_document(command: str, text: str) -> str:
    return f"{command} <<'END_OF_BLOCK'\n{text}END_OF_BLOCK"


def script(name: str, root: str) -> str:
    """The page as one script. Its root is the test's own, since that of the text is everybody's."""
    parts = ["set -e"]
    for block in pages.blocks((pages.TOP / name).read_text(encoding="utf-8")):
        text = block.text.replace(ROOT, root)
        if block.marker == "not run":
            continue
        parts.append(f"echo '== {name}:{block.line}' >&2")
        if block.marker == "file":
            parts.append(here_document(f"cat > {shlex.quote(block.argument)}", text))
        elif block.language == "sh":
            parts.append(text)
        elif block.language == "python":
            parts.append(here_document("python3 -", text))
    return "\n".join(parts) + "\n"


# Not every page makes a root.
STOP = 'if [ -e "$FILECALL_ROOT" ]; then filecall worker stop >&2; fi'


def run_page(name, folder, endpoint, kubeconfig, end=STOP):
    home = folder / "home"
    home.mkdir()
    env = {**environment(), "HOME": str(home), "OPENAI_BASE_URL": endpoint.url + "/v1",
           "FILECALL_ROOT": str(folder / "root"), "LANG": "C.UTF-8", "KUBECONFIG": str(kubeconfig),
           "PATH": f"{client_program().parent}:{os.environ['PATH']}"}
    text = script(name, str(folder / "root"))
    return subprocess.run(["bash", "-c", text + end], env=env, cwd=home, capture_output=True,
                          text=True, timeout=120 * SLOW, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("name", pages.PAGES)
def test_blocks_run_in_the_order_of_the_page(name, folder, endpoint, kubeconfig):
    done = run_page(name, folder, endpoint, kubeconfig)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_the_first_requests_print_their_responses(folder, endpoint, kubeconfig):
    done = run_page("README.md", folder, endpoint, kubeconfig)
    assert '"data":{"x":1}' in done.stdout.replace(" ", ""), done.stdout
    assert "{'hello': 'world'}" in done.stdout
    assert {"hi", "hello"} < {path.stem for path in (folder / "root/responses").iterdir()}


@pytest.mark.parametrize("block", [
    pytest.param(block, id=block.argument) for block in
    pages.blocks((pages.TOP / "docs/configuration.md").read_text(encoding="utf-8"))
    if block.marker == "file"])
def test_configurations_are_read_without_complaint(block, folder):
    path = folder / block.argument
    path.write_text(block.text)
    worker = client_program().parent / "filecall-worker"
    done = subprocess.run([worker, "--config", path, "--check-config", "--json"],
                          capture_output=True, text=True, timeout=60 * SLOW, check=False,
                          env={**environment(), "HOME": str(folder)})
    assert f"{path}:" not in done.stdout + done.stderr, done.stdout + done.stderr


def test_a_failing_block_fails_its_page(folder, endpoint, kubeconfig, monkeypatch):
    page = folder / "page.md"
    page.write_text("```sh\nfalse\n```\n```sh\ntrue\n```\n")
    monkeypatch.setattr(pages, "TOP", folder)
    assert run_page("page.md", folder, endpoint, kubeconfig).returncode != 0
