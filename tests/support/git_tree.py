# SPDX-License-Identifier: MIT
"""Repositories for tests of git.*, made and asked with the program git, which is the peer."""

import os
import re
import subprocess

ENVIRONMENT = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b", "LC_ALL": "C.UTF-8"}


AUTHOR = {"name": "Agent", "email": "agent@example.org"}


class GitTree:
    """A worktree, and git for it."""

    def __init__(self, path, *options):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        if not (path / ".git").exists():
            self.git("init", "-q", "-b", "main", *options)
        self.time = 1_700_000_000

    def git(self, *arguments, check=True, **options):
        done = subprocess.run(["git", *arguments], cwd=self.path, env=ENVIRONMENT,
                              capture_output=True, check=False, **options)
        assert done.returncode == 0 or not check, (arguments, done.stderr)
        return os.fsdecode(done.stdout)

    def lines(self, *arguments):
        return self.git(*arguments).splitlines()

    def diff(self, *arguments):
        """What git diff prints, without the names of functions behind @@."""
        text = self.git("diff", "--full-index", "--find-renames=100%", *arguments)
        return re.sub(r"^(@@ [^@]* @@).*", r"\1", text, flags=re.MULTILINE)

    def put(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, message="change", *arguments):
        """Commits everything, a second after the commit before."""
        self.time += 1
        self.git("add", "-A")
        environment = {"GIT_AUTHOR_DATE": f"{self.time} +0000",
                       "GIT_COMMITTER_DATE": f"{self.time} +0000"}
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", message, *arguments],
                       cwd=self.path, env=ENVIRONMENT | environment, check=True)
        return self.head()

    def head(self, revision="HEAD"):
        return self.git("rev-parse", revision).strip()

    def porcelain(self, *paths):
        """{path: XY} as git status says it; renames of equal content alone."""
        out, parts = {}, self.git("status", "--porcelain", "-z", "-uall", "--find-renames=100%",
                                  "--", *paths).split("\0")
        while parts and parts[0]:
            entry = parts.pop(0)
            out[entry[3:]] = entry[:2]
            if entry[0] == "R":
                parts.pop(0)
        return out


def done(spool, stem, command, **params):
    """The data of an answer that is none of an error."""
    answer = spool.call(stem, command, params)
    assert answer["status"] == "success", answer
    return answer["data"]


def refused(spool, stem, command, **params):
    """Code and message of an answer that is one."""
    answer = spool.call(stem, command, params)
    assert answer["status"] == "error", answer
    return answer["error_code"], answer["error_message"]


LETTERS = {"added": "A", "deleted": "D", "modified": "M", "renamed": "R", "type_changed": "T",
           "untracked": "?", "conflicted": "U"}


def porcelain_of(data):
    """The same of an answer of git.status."""
    out = {}
    for entry in data["entries"]:
        staged = LETTERS[entry["staged"]] if "staged" in entry else " "
        unstaged = LETTERS[entry["unstaged"]] if "unstaged" in entry else " "
        out[entry["path"]] = "??" if unstaged == "?" and staged == " " else staged + unstaged
    return out
