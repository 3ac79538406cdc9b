# SPDX-License-Identifier: MIT
"""A real Kubernetes API server for tests (kube-apiserver beside this file), and kubectl beside it.

Nothing runs the objects: there is no controller and no node. What is created stays as it is.
"""

import base64
import json
import os
import subprocess
import tempfile
from pathlib import Path

PROGRAM = Path(__file__).resolve().with_name("kube-apiserver")
# token, user, uid: what RBAC allows them is written by the tests.
USERS = {"reader": "reader-token-0123456789", "nobody": "nobody-token-0123456789",
         "expired": "expired-token-0123456789"}


def missing() -> str:
    """One line that says what is missing here; empty when a server can be started."""
    done = subprocess.run([PROGRAM, "check"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip()


def kubectl_program() -> Path:
    found = subprocess.run([PROGRAM, "path"], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip()) / "kubectl"


class Cluster:
    """One running server. Its address and credentials are in files below `folder`."""

    def __init__(self, folder, *flags):
        self.folder = Path(folder)
        tokens = "".join(f'{token},{user},{user}\n' for user, token in USERS.items()
                         if user != "expired")
        (self.folder / "tokens.csv").write_text(tokens)
        # It serves until its standard input ends: also when this process is killed.
        self.process = subprocess.Popen([PROGRAM, "run", self.folder, *flags], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline().split()
        assert line[:1] == ["ready"], (self.folder / "server.log").read_text()[-3000:]
        self.port = int(line[1])

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "admin.kubeconfig"

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def kubectl(self, *arguments, stdin="", check=True, kubeconfig=None, env=None) -> str:
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig or self.kubeconfig),
                       "HOME": str(self.folder), **(env or {})}
        done = subprocess.run([kubectl_program(), *map(str, arguments)], text=True, input=stdin,
                              capture_output=True, check=False, env=environment)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout if check else done.stdout + done.stderr

    def get(self, *arguments) -> dict:
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def create(self, *objects) -> None:
        """Objects as dictionaries; those that are there already are replaced."""
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "--server-side", "--force-conflicts", "--validate=false", "-f", "-",
                     stdin=json.dumps(items))

    def ca_data(self) -> str:
        return base64.b64encode((self.folder / "ca.crt").read_bytes()).decode()

    def config(self, **users) -> dict:
        """A kubeconfig with a context, a user of the same name and this cluster for each of
        `users` (what stands under `user`); the first one is current."""
        cluster = {"server": self.url, "certificate-authority-data": self.ca_data()}
        return {"apiVersion": "v1", "kind": "Config",
                "clusters": [{"name": "test", "cluster": cluster}],
                "users": [{"name": name, "user": user} for name, user in users.items()],
                "contexts": [{"name": name, "context": {"cluster": "test", "user": name}}
                             for name in users],
                "current-context": next(iter(users), "")}

    def admin(self) -> dict:
        """What stands under `user` for the cluster's administrator."""
        return {"client-certificate": str(self.folder / "admin.crt"),
                "client-key": str(self.folder / "admin.key")}

    def write_config(self, path, config=None, **users) -> Path:
        """JSON is YAML."""
        path = Path(path)
        path.write_text(json.dumps(config or self.config(**(users or {"admin": self.admin()}))))
        return path


def start() -> Cluster:
    memory = os.access("/dev/shm", os.W_OK)
    folder = tempfile.mkdtemp(prefix="filecall-kube-", dir="/dev/shm" if memory else None)
    return Cluster(folder)


def environment(kubeconfig, home) -> dict:
    """A worker's environment in which only this kubeconfig can be found."""
    return {"KUBECONFIG": str(kubeconfig), "HOME": str(home), "KUBERNETES_SERVICE_HOST": "",
            "XDG_CACHE_HOME": str(home), "http_proxy": "", "https_proxy": "",
            "PATH": os.environ["PATH"]}
