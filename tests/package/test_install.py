# SPDX-License-Identifier: MIT
"""What `cmake --install` lays down and the .deb, unpacked somewhere, works from there."""

import json
import os
import shutil
import subprocess

import pytest

from harness import DEADLINE, TOP, Spool

BUILD = TOP / "build" / "release"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The package's files under a directory of their own."""
    folder = tmp_path_factory.mktemp("package")
    subprocess.run(["cpack", "-G", "DEB", "-B", str(folder)], cwd=BUILD, check=True,
                   stdin=subprocess.DEVNULL)
    package = next(folder.glob("*.deb"))
    subprocess.run(["dpkg-deb", "-x", package, folder / "files"], check=True)
    return package, folder / "files" / "usr"


def run(*command, env=None, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=DEADLINE, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(env or {})}, **options)


def test_the_packages_control_file(unpacked):
    text = run("dpkg-deb", "-f", unpacked[0]).stdout
    fields = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    assert fields["Package"] == "filecall"
    for library in ("libc6", "libuv1", "libsqlite3-0", "libyaml-cpp0.7"):
        assert library in fields["Depends"], fields["Depends"]
    assert "dev" not in fields["Depends"]


def test_everything_is_in_its_place(unpacked):
    usr = unpacked[1]
    for name in ("bin/filecall", "bin/filecall-worker", "libexec/filecall/filecall-guard",
                 "lib/systemd/system/filecall-worker.service",
                 "lib/systemd/system/filecall-drain.timer", "share/filecall/schema",
                 "share/filecall/examples/drop.sh", "share/filecall/python/filecall.py",
                 "share/man/man1/filecall.1", "share/man/man1/filecall-worker.1",
                 "share/bash-completion/completions/filecall",
                 "share/bash-completion/completions/filecall-worker",
                 "share/zsh/vendor-completions/_filecall", "share/doc/filecall/copyright"):
        assert (usr / name).exists(), name


def test_the_unpacked_programs_work(unpacked, spool):
    usr = unpacked[1]
    config = spool.root.parent / "worker.yaml"
    config.write_text(json.dumps({"tool": {"allow": ["echo"]}}))
    spool.drop("a", params={"x": 1})
    spool.drop("b", "tool.run", {"argv": ["echo", "hello"]})
    done = run(usr / "bin" / "filecall-worker", "--root", spool.root, "--config", config, "--drain")
    assert done.returncode == 0, done.stderr
    assert spool.response("a")["data"] == {"x": 1}
    assert spool.response("b")["data"]["stdout"] == "hello\n", spool.response("b")
    done = run(usr / "bin" / "filecall", "call", "system.echo", "--params", "{}", "--root",
               spool.root)
    assert done.returncode == 0, done.stderr
    assert run(usr / "bin" / "filecall", "worker", "stop", "--root", spool.root).returncode == 0


def test_the_units_are_valid(unpacked, tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd here")
    unit = unpacked[1] / "lib/systemd/system/filecall-worker.service"
    text = unit.read_text()
    assert "Type=notify" in text and "WatchdogSec=30" in text
    copy = tmp_path / unit.name
    copy.write_text(text.replace("/usr/bin/", f"{unpacked[1]}/bin/"))
    done = run("systemd-analyze", "verify", copy, env={"SYSTEMD_LOG_LEVEL": "warning"})
    lines = [line for line in done.stderr.splitlines() if unit.name in line]
    assert not [line for line in lines if "Unknown" in line or "Failed to parse" in line], lines


def test_completion_offers_what_the_program_knows(unpacked):
    script = unpacked[1] / "share/bash-completion/completions/filecall"
    ask = ('. "$1"; COMP_WORDS=(filecall "${@:2}"); COMP_CWORD=$(($# - 1)); _filecall; '
           'printf "%s\\n" "${COMPREPLY[@]}"')
    words = run("bash", "-c", ask, "bash", script, "").stdout.split()
    assert {"call", "run", "watch", "status", "show", "retry", "cancel", "gc", "doctor",
            "worker"} <= set(words)
    for word in words:
        if not word.startswith("-"):
            help_text = run(unpacked[1] / "bin/filecall", word, "--help")
            assert help_text.returncode == 0, word
    assert "--window" in run("bash", "-c", ask, "bash", script, "run", "--w").stdout.split()


def test_man_pages_have_their_sections(unpacked):
    text = (unpacked[1] / "share/man/man1/filecall-worker.1").read_text()
    for word in (".SH NAME", ".SH SYNOPSIS", "\\-\\-drain"):
        assert word in text, word


def test_an_install_under_another_prefix(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "p"], check=True,
                   capture_output=True)
    spool = Spool(tmp_path / "root")
    spool.drop("a")
    done = run(tmp_path / "p/bin/filecall-worker", "--root", spool.root, "--drain")
    assert done.returncode == 0, done.stderr
    assert spool.response("a")["status"] == "success"


@pytest.mark.skipif(os.environ.get("FILECALL_TEST_MODE") != "long" or os.getuid() != 0,
                    reason="installs for real: only with --long, as root")
def test_a_real_installation(unpacked):
    assert run("dpkg", "-i", unpacked[0]).returncode == 0
    try:
        assert run("filecall-worker", "--version").returncode == 0
        assert os.stat("/var/spool/filecall").st_mode & 0o777 == 0o700
    finally:
        run("dpkg", "--purge", "filecall")
