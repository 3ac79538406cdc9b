# SPDX-License-Identifier: MIT
"""Usual programs do real work where only the calls of a list pass (tool.sandbox: read-only)."""

import shutil
import subprocess

import pytest

from sandbox_place import ATTEMPTS, place, pytestmark

# Program, what a shell does with it in an empty directory, and what that says at its end.
WORK = [
    ("sh", "(echo b; echo a) | while read x; do echo $x$x; done", "bb\naa"),
    ("bash", "bash -c 'a=(3 1 2); wait < <(sleep 0); echo ${#a[@]} $(ulimit -c)'", "3 0"),
    ("python3", "python3 -c 'import multiprocessing as m, tempfile, threading, ssl, sqlite3\n"
     "threading.Thread(target=print, args=(1,)).start()\n"
     "if __name__ == \"__main__\":\n"
     " with m.Pool(2) as p, tempfile.TemporaryFile() as f:\n"
     "  print(f.write(b\"x\"), p.map(abs, [-2]))'",
     "1\n1 [2]"),
    ("perl", "perl -MPOSIX -MFile::Temp -e 'my $p = fork; exit 3 unless $p; waitpid $p, 0; "
     "print $? >> 8, -d File::Temp->newdir ? \"d\" : \"\"'", "3d"),
    ("git", "git init -q . && echo x >f && git add f && git -c user.name=a -c user.email=b@c "
     "commit -qm one && git gc -q && git clone -q . copy && git -C copy log --format=%s", "one"),
    ("grep", "seq 100 >f && grep -rc 9 .", "./f:19"),
    ("find", "mkdir -p a/b && touch a/b/c && find . -type f -newermt 2001-01-01 "
     "-exec basename {} ';'", "c"),
    ("awk", "seq 10 | awk '{s += $1} END {print s; system(\"echo done\")}'", "55\ndone"),
    ("sed", "echo one >f && sed -i.old s/one/two/ f && cat f f.old", "two\none"),
    ("tar", "mkdir d && echo x >d/f && tar -czf t.tgz d && rm -r d && tar -xpf t.tgz && "
     "cat d/f", "x"),
    ("gzip", "seq 1000 >f && gzip -k f && gzip -t f.gz && zcat f.gz | cmp - f && echo same",
     "same"),
    ("xz", "seq 1000 >f && xz -T2 -k f && xz -dc f.xz | cmp - f && echo same", "same"),
    ("jq", "echo '{\"a\": [1, 2]}' | jq -c '.a | map(. * 2)'", "[2,4]"),
    ("sort", "seq 100000 | shuf | sort --parallel=2 -S 1M -n | tail -1", "100000"),
    ("curl", "curl --version | head -c 4; echo hi >f; curl -s file://$PWD/f", "curlhi"),
    ("node", "node -e 'const fs = require(\"fs\"), c = require(\"child_process\"), "
     "z = require(\"zlib\"); z.gzip(\"x\", (e, b) => fs.writeFile(\"f\", b, () => "
     "console.log(z.gunzipSync(fs.readFileSync(\"f\")) + \"\" + c.execSync(\"echo y\"))))'", "xy"),
    ("gcc", "echo 'int main(void) { return N; }' >m.c && gcc -DN=7 -E m.c | tail -1 && "
     "gcc -DN=7 m.c -o m && ./m || echo $?", "int main(void) { return 7; }\n7"),
    ("make", "printf 'all: a b\\n\\t@cat a b\\na b:\\n\\t@echo $@ >$@\\n' >Makefile && make -sj2",
     "a\nb"),
    ("diff", "seq 3 >a && seq 4 >b && diff -u a b | tail -1 && diff -r . . && echo none",
     "+4\nnone"),
    ("patch", "seq 3 >a && printf -- '--- a\\n+++ a\\n@@ -3 +3 @@\\n-3\\n+x\\n' | "
     "patch -s && cat a", "1\n2\nx"),
    ("openssl", "openssl version | cut -c1-7 && openssl genrsa -out k 1024 2>/dev/null && "
     "echo x | openssl dgst -sha256 -sign k | wc -c", "OpenSSL\n128"),
    ("sqlite3", "sqlite3 d 'pragma journal_mode=wal; create table t(a); insert into t values (5); "
     "select * from t'", "wal\n5"),
    ("java", "java -version 2>&1 | grep -c 'Server VM'", "1"),
    ("rustc", "echo 'fn main() { println!(\"{}\", std::thread::spawn(|| 6).join().unwrap()); }' "
     ">m.rs && rustc m.rs && ./m", "6"),
    ("gpg", "gpg --version | head -c 3; mkdir -m 700 g; echo x | gpg --homedir g --batch -q "
     "--print-md sha256 | wc -l", "gpg1"),
    ("file", "echo '#!/bin/sh' >f && file -b f", "POSIX shell script, ASCII text executable"),
    ("ps", "ps -o comm= -p $$", "sh"),
    ("dd", "dd if=/dev/zero of=f bs=1k count=64 status=none && truncate -s 128k f && "
     "cp --sparse=always f g && stat -c %s g && df . | wc -l", "131072\n2"),
    ("xargs", "seq 4 | xargs -P 2 -n 1 sh -c 'echo $0' | sort | tr -d '\\n'", "1234"),
    ("zip", "echo x >f && zip -q z f && unzip -p z f", "x"),
]


@pytest.mark.core
def test_usual_programs_do_their_work(place):
    place.start(sandbox="read-only", network=False, concurrency=2,
                readable=["/etc/java-17-openjdk", str(ATTEMPTS)])
    missing = []
    for program, script, said in WORK:
        if shutil.which(program, path="/usr/bin:/bin") is None:
            missing.append(program)
            continue
        data = place.shell(f"mkdir /tmp/w && cd /tmp/w && {script}")
        assert data["stdout"].strip() == said, (program, data["stdout"], data["stderr"])
    assert len(WORK) - len(missing) >= 20, missing


def test_a_call_that_no_usual_program_makes_is_not_there(place):
    script = "import ctypes, errno\nprint(ctypes.CDLL(None, use_errno=True).personality(-1), " \
             "errno.errorcode.get(ctypes.get_errno()))"
    assert subprocess.run(["python3", "-c", "import ctypes\nctypes.CDLL(None).personality(-1)"],
                          check=False).returncode == 0
    for level, said in (("read-only", "-1 ENOSYS"), ("workspace-write", "0 None")):
        worker = place.start(sandbox=level)
        data = place.run({"argv": ["/usr/bin/python3", "-c", script]})["data"]
        assert data["stdout"].strip() == said
        assert worker.stop() == 0
