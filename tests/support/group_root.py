# SPDX-License-Identifier: MIT
"""Users of a group and their root. They are numbers: no account is made on this machine."""

import json
import os
import subprocess
import sys

from harness import SLOW, TOP, Spool, client_program, wait_until, worker_program

TEAM = 62000
KEEPER = 62009  # The worker's user, a member of the group like the others.


class User:
    """Runs programs as a user, of the group unless told otherwise."""

    def __init__(self, uid, spool, home, groups=TEAM):
        self.uid, self.spool, self.home = uid, spool, home
        held = [f"--groups={groups}"] if groups else ["--clear-groups"]
        self.prefix = ["setpriv", f"--reuid={uid}", f"--regid={uid}", *held]
        home.mkdir(exist_ok=True)
        os.chown(home, uid, uid)

    def run(self, *command, umask=0o077, deadline=60 * SLOW):
        return subprocess.run([*self.prefix, *map(str, command)], capture_output=True, text=True,
                              timeout=deadline, check=False, stdin=subprocess.DEVNULL, cwd="/",
                              env={**os.environ, "HOME": str(self.home)}, umask=umask)

    def client(self, name, *arguments, accepts=True, root=None, **options):
        flags = ["--allow-shared-root"] if accepts else []
        return self.run(client_program(), name, "--root", root or self.spool.root, *flags,
                        *arguments, **options)

    def python(self, program, *arguments):
        """What a Python program prints; fails with its last words."""
        done = self.run(sys.executable, "-c", program, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def module(self, program):
        """The same of one that uses scripts/filecall.py."""
        begin = ("import sys, types\n"
                 "filecall = types.ModuleType('filecall')\n"
                 "sys.modules['filecall'] = filecall\n"
                 "exec(sys.argv[2], filecall.__dict__)\n"
                 "root = sys.argv[1]\n")
        text = (TOP / "scripts" / "filecall.py").read_text(encoding="utf-8")
        return self.python(begin + program, self.spool.root, text)

    def drop(self, stem, command="system.echo", params=None, **members):
        """As a script without this project would."""
        self.python("import os, sys\n"
                    "os.umask(0o027)\n"
                    "path = f'{sys.argv[1]}/requests/.{os.getpid()}.tmp'\n"
                    "open(path, 'w').write(sys.argv[3])\n"
                    "os.link(path, f'{sys.argv[1]}/requests/{sys.argv[2]}.json')\n"
                    "os.unlink(path)\n", self.spool.root, stem,
                    self.spool.text(stem, command, params, **members))
        return stem

    def ask(self, stem, command="system.echo", params=None, **members):
        self.drop(stem, command, params, **members)
        return self.spool.wait_response(stem)

    def remove(self, stem):
        self.python("import os, sys; os.unlink(sys.argv[1])", self.spool.request(stem))


class Team:
    """A group's root, its keeper and two members."""

    def __init__(self, folder):
        folder.chmod(0o711)
        self.spool = Spool(folder / "root")
        for path in (self.spool.root, self.spool.root / "requests", self.spool.root / "responses"):
            os.chown(path, KEEPER, KEEPER)
        self.keeper = User(KEEPER, self.spool, folder / "keeper")
        self.ann = User(62001, self.spool, folder / "ann")
        self.bob = User(62002, self.spool, folder / "bob")
        self.stranger = User(62003, self.spool, folder / "stranger", groups=None)

    def config(self, tools, **members):
        return json.dumps({**tools, "group": str(TEAM), **members})

    def serve(self, start_worker, tools, durability=None, **members):
        return start_worker(config=self.config(tools, **members), spools=[self.spool],
                            prefix=self.keeper.prefix, durability=durability)

    def own_home(self, user):
        return self.spool.root / "users" / str(user.uid)

    def executing(self):
        return self.spool.status().get("counts", {}).get("executing", 0)

    def wait_counts(self, what, **counts):
        wait_until(lambda: all(self.spool.status().get("counts", {}).get(name) == value
                               for name, value in counts.items()), what)


__all__ = ["KEEPER", "TEAM", "Team", "User", "worker_program"]
