# SPDX-License-Identifier: MIT
"""What `cmake --install` lays down and the .deb, unpacked somewhere, works from there."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness import DEADLINE, TOP, Spool

BUILT_ALREADY = 600  # Seconds: the build tool looks at every source again.
BUILD = TOP / "build" / "release"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The package, which stays in build/packages, and its files under a directory of their own."""
    folder = tmp_path_factory.mktemp("package")
    done = subprocess.run([TOP / "scripts/package", "--no-install"], check=True,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    package = Path(done.stdout.strip())
    subprocess.run(["dpkg-deb", "-x", package, folder / "files"], check=True)
    return package, folder / "files" / "usr"


def run(*command, env=None, timeout=4 * DEADLINE, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=timeout, check=False, stdin=subprocess.DEVNULL,
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
                 "share/man/man5/filecall-worker.yaml.5",
                 "share/bash-completion/completions/filecall",
                 "share/bash-completion/completions/filecall-worker",
                 "share/zsh/vendor-completions/_filecall", "share/doc/filecall/copyright",
                 "share/doc/filecall/README.md", "share/doc/filecall/docs/batches.md",
                 "share/doc/filecall/docs/pictures/flow.svg"):
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


def units_of(usr):
    return [*usr.glob("lib/systemd/*/filecall-*.service")]


def programs_of(unit):
    return [line.split("=", 1)[1].split()[0] for line in unit.read_text().splitlines()
            if line.startswith("Exec")]


def test_the_packages_units_name_its_own_programs(unpacked):
    units = units_of(unpacked[1])
    assert len(units) == 3
    for unit in units:
        for program in programs_of(unit):
            assert program.startswith("/usr/bin/"), unit.name
            assert (unpacked[1] / program.removeprefix("/usr/")).exists(), unit.name


@pytest.mark.parametrize("prefix", ["/usr", "/usr/local", "/opt/filecall-0.1"])
def test_units_are_made_for_their_prefix(tmp_path, prefix):
    done = run("cmake", "--install", BUILD, "--component", "systemd", "--prefix", prefix,
               env={"DESTDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    units = units_of(tmp_path / prefix[1:])
    assert len(units) == 3
    for unit in units:
        assert f"ExecStart={prefix}/bin/filecall-worker " in unit.read_text(), unit.name


# A copy of this machine on which one may write: what is written is in memory and gone after it.
COPY = """set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/all"
mount -t overlay none -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/all"
for place in proc dev; do mount --rbind "/$place" "$1/all/$place"; done
mount -t tmpfs none "$1/all/run"
cp "$2" "$1/all/run/filecall.deb"
exec chroot "$1/all" sh -ec "$3"
"""


def in_a_copy(place, package, script):
    if os.getuid() != 0 or not shutil.which("systemd-analyze"):
        pytest.skip("needs root and systemd's programs")
    probe = run("unshare", "--mount", "sh", "-c", COPY, "sh", place, package, "true")
    if probe.returncode != 0:
        pytest.skip("no file system may be laid over this one: " + probe.stderr)
    return run("unshare", "--mount", "sh", "-c", COPY, "sh", place, package, script,
               env={"SYSTEMD_LOG_LEVEL": "warning", "DEBIAN_FRONTEND": "noninteractive"})


def test_the_installed_units_are_valid_and_start(unpacked, tmp_path):
    done = in_a_copy(tmp_path, unpacked[0], """
dpkg -i /run/filecall.deb >/run/dpkg.log 2>&1 || { cat /run/dpkg.log >&2; exit 1; }
cd /usr/lib/systemd
systemd-analyze verify --man=no system/filecall-worker.service system/filecall-drain.service \
  system/filecall-drain.timer >/run/said 2>&1 || { cat /run/said >&2; exit 1; }
systemd-analyze verify --man=no --user "user/filecall-worker@.service" >>/run/said 2>&1 || true
if grep filecall /run/said >&2; then exit 1; fi
stat -c '%a %U' /var/spool/filecall
# As the unit starts it, but for the protections, which need the service manager.
command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/filecall-drain.service)
export FILECALL_ROOT=/var/spool/filecall
as="setpriv --reuid=filecall --regid=filecall --clear-groups --no-new-privs"
$as mkdir -m 0700 /var/spool/filecall/requests
echo '{"request_id": "a", "command": "system.echo", "params": {"x": 1}}' |
  $as tee /var/spool/filecall/requests/a.json >/dev/null
$as ${command% *}
cat /var/spool/filecall/responses/a.json
""")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "700 filecall"
    assert json.loads(lines[-1])["data"] == {"x": 1}


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


def test_an_install_under_another_prefix(tmp_path):
    done = run(TOP / "scripts/install", "--no-install", "--prefix", tmp_path / "p",
               timeout=BUILT_ALREADY)
    assert done.returncode == 0, done.stderr
    spool = Spool(tmp_path / "root")
    spool.drop("a")
    done = run(tmp_path / "p/bin/filecall-worker", "--root", spool.root, "--drain")
    assert done.returncode == 0, done.stderr
    assert spool.response("a")["status"] == "success"


@pytest.mark.skipif(os.environ.get("FILECALL_TEST_MODE") != "long" or os.getuid() != 0,
                    reason="installs for real: only with --long, as root")
def test_a_real_installation(unpacked):
    done = run(TOP / "scripts/install", unpacked[0], timeout=BUILT_ALREADY)
    assert done.returncode == 0, done.stderr
    try:
        assert run("filecall-worker", "--version").returncode == 0
        assert os.stat("/var/spool/filecall").st_mode & 0o777 == 0o700
    finally:
        run("dpkg", "--purge", "filecall")
