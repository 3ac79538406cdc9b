# SPDX-License-Identifier: MIT
"""The table of how each source file binds the paths that it opens, renames and removes."""

import re
from pathlib import Path

import pytest

import file_calls
from test_repository import TOP, tracked

TABLE = Path(__file__).with_name("file_calls.txt")
CALL = "int f() { return ::open(path, 0); }"
ROW = "client/a.cc | open | user | The command line names it."


def test_each_source_file_has_the_row_that_fits_it():
    sources = {name: (TOP / name).read_text(encoding="utf-8")
               for name in tracked("client/*", "ipc-schema/*", "worker/*")
               if re.search(r"\.(cc|h)$", name)}
    assert len(sources) > 500
    found = list(file_calls.disagreements(TABLE.read_text(encoding="utf-8"), sources))
    assert not found, "\n" + "\n".join(found)


def test_the_head_of_the_table_explains_every_binding():
    head = " ".join(line.lstrip("# ") for line in TABLE.read_text(encoding="utf-8").splitlines()
                    if line.startswith("#"))
    for name, meaning in file_calls.BINDINGS.items():
        assert f"{name}: {meaning}" in head


@pytest.mark.parametrize("table,text,why", [
    ("", CALL, "has no row"),
    (ROW, "int f();", "the row says 'open'"),
    (ROW, CALL + "int g() { return ::unlink(path); }", "makes the calls 'open unlink'"),
    (ROW.replace("user", "somehow"), CALL, "is no binding"),
    (ROW.replace(" The command line names it.", ""), CALL, "says not how"),
    (ROW + "\nclient/b.cc | open | user | So.", CALL, "is not there"),
    (ROW + "\n" + ROW, CALL, "not sorted"),
])
def test_what_does_not_fit_is_caught(table, text, why):
    assert any(why in said
               for said in file_calls.disagreements(table, {"client/a.cc": text}))


@pytest.mark.parametrize("text,calls", [
    ("::openat(fd, name, 0)", {"openat"}), ("std::rename(a, b)", {"rename"}),
    ("std::filesystem::exists(p, e)", {"filesystem::exists"}), ("std::ofstream(p)", {"ofstream"}),
    ("TRY_ASSIGN(auto fd, open_regular(p, 0));", {"open_regular"}),
    ("spool::read_file(p)", {"read_file"}), ("::syscall(SYS_openat2, fd)", {"SYS_openat2"}),
    ("sqlite3_open_v2(p, &h)", {"sqlite3_open_v2"}),
    ("// ::open(path)\n\"::open(x)\"", set()), ("Root::open(path)", set()),
    ("file->rename(a)", set()), ("calls_.open(p)", set()), ("std::filesystem::path(p)", set()),
    ("EventLoop::open()", set()), ("SYS_openat2,", set()),
])
def test_which_calls_count(text, calls):
    assert file_calls.calls_of("client/a.cc", text) == calls
    assert file_calls.calls_of("client/a.cc", CALL) == {"open"}


def test_declarations_of_a_header_are_no_calls():
    declared = "Result<UniqueFd> open_file(const std::string& path);"
    assert file_calls.calls_of("a.h", declared) == set()
    assert file_calls.calls_of("a.h", "inline int f() { return ::open(p, 0); }") == {"open"}
