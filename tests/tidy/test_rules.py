# SPDX-License-Identifier: MIT
"""Each rule can fail: a snippet that breaks it is caught, and its innocent twin is not."""

import pytest

import rules

HEAD = "// SPDX-License-Identifier: MIT\n"

BROKEN = [
    (rules.length, "worker/a.cc", "\n" * 401),
    (rules.length, "worker/a.cc", "x" * 101),
    (rules.spdx, "worker/a.cc", "#pragma once\n"),
    (rules.spdx, "scripts/a.py", "#!/usr/bin/python3\nimport os\n"),
    (rules.pragma_once, "worker/a.h", HEAD + "int a;\n"),
    (rules.include_rules, "worker/core/a.h", '#include "spool/layout.h"\n'),
    (rules.include_rules, "worker/core/a.h", '#include "worker/exec/executor.h"\n'),
    (rules.include_rules, "worker/a.cc", '#include "client/core/request_state.h"\n'),
    (rules.include_rules, "client/core/a.cc", '#include "client/engine/orchestrator.h"\n'),
    (rules.include_rules, "ipc-schema/base/a.h", '#include "ipc/json.h"\n'),
    (rules.include_rules, "ipc-schema/ipc/a.h", '#include "os/clock.h"\n'),
    (rules.include_rules, "client/core/a.h", "#include <thread>\n"),
    (rules.include_rules, "client/core/a.h", "#include <sys/stat.h>\n"),
    (rules.include_rules, "worker/a.cc", "#include <nlohmann/json.hpp>\n"),
    (rules.include_rules, "worker/a.cc", "#include <spdlog/spdlog.h>\n"),
    (rules.include_rules, "tests/unit/a_test.cc", "#include <iostream>\n"),
    (rules.include_rules, "worker/a.cc", '#include "options.h"\n'),
    (rules.include_rules, "tests/unit/a_test.cc", '#include "fmt/core.h"\n'),
    (rules.calls, "worker/a.cc", 'int n = system("ls");\n'),
    (rules.calls, "tests/unit/a_test.cc", "for (const auto& one : read(layout(), a)->rows) {\n"),
    (rules.calls, "worker/a.cc", 'auto* f = popen("ls", "r");\n'),
    (rules.calls, "tests/unit/a_test.cc", "std::this_thread::sleep_for(1s);\n"),
    (rules.calls, "worker/a.cc", "int n = rand();\n"),
    (rules.calls, "worker/a.cc", "syscall(SYS_renameat2, 0);\n"),
    (rules.calls, "worker/core/a.cc", "auto t = std::chrono::steady_clock::now();\n"),
    (rules.calls, "client/core/a.cc", 'auto* v = getenv("HOME");\n'),
    (rules.names, "worker/a.h", "class ProcessManager {};\n"),
    (rules.names, "worker/string_utils.h", "\n"),
    (rules.words, "worker/a.h", "// TODO: later\n"),
    (rules.words, "worker/a.h", "  // run(first, 3);\n"),
    (rules.words, "worker/a.h", "// if (first) {\n"),
    (rules.words, "client/cli/a.cc", 'print(fmt::format("{} requests", n));\n'),
]

FINE = [
    (rules.length, "worker/a.cc", "x" * 100 + "\n"),
    (rules.spdx, "worker/a.cc", HEAD),
    (rules.spdx, "scripts/a.sh", "#!/bin/sh\n# SPDX-License-Identifier: MIT\n"),
    (rules.pragma_once, "worker/a.h", HEAD + "#pragma once\n"),
    (rules.include_rules, "worker/a.cc", '#include "spool/layout.h"\n#include "worker/core/b.h"\n'),
    (rules.include_rules, "worker/exec/tool/a.cc", '#include "worker/proc/child.h"\n'),
    (rules.include_rules, "client/cli/a.cc", '#include "ipc/json.h"\n'),
    (rules.include_rules, "tests/unit/a_test.cc", '#include <fmt/core.h>\n#include "place.h"\n'),
    (rules.calls, "tests/unit/a_test.cc", "for (const auto& one : (*rows)->names()) {\n"),
    (rules.calls, "client/a.cc", "for (const auto& one : state_.step()->calls) {\n"),
    (rules.calls, "worker/a.cc", '// system("ls") is what we never call\nlog("system(x)");\n'),
    (rules.calls, "worker/a.cc", "file_system(x); loop.system(y); operand(z);\n"),
    (rules.calls, "ipc-schema/os/clock.cc", "auto t = std::chrono::steady_clock::now();\n"),
    (rules.names, "worker/dispatcher.h", "// No Manager.\nclass Dispatcher {};\n"),
    (rules.words, "worker/a.h", "// Runs first; if it fails, the second is not tried.\n"),
    (rules.words, "client/cli/a.cc", 'print(fmt::format("more than {} requests", kMax));\n'),
]


@pytest.mark.parametrize("check,path,text", BROKEN)
def test_a_violation_is_caught(check, path, text):
    assert list(check(path, text))


@pytest.mark.parametrize("check,path,text", FINE)
def test_its_innocent_twin_is_not(check, path, text):
    assert not list(check(path, text))


def test_a_long_function_is_caught():
    tag = "run\tworker/a.cc\t/^x$/;\"\tf\tline:10\tend:{}\n"
    assert list(rules.function_lengths(tag.format(79)))
    assert not list(rules.function_lengths(tag.format(78)))


def test_room_names():
    def tags(first, second, kind="f"):
        return "".join(f'{name}\tworker/{path}\t/^int {name}$/;"\t{kind}\tline:1\t{scope}\n'
                       for name, path, scope in (first, second))
    own, other = "namespace:filecall::__anon1", "namespace:filecall::__anon2"

    def found(*rows):
        return list(rules.room_names(tags(*rows), lambda path: "worker"))
    assert found(("f", "a.cc", own), ("f", "b.cc", other))
    assert not found(("f", "a.cc", own), ("f", "a.cc", own))
    assert not found(("f", "a.cc", own), ("g", "b.cc", other))
    assert not found(("f", "a.cc", own), ("f", "b.cc", "namespace:filecall"))
    assert not found(("f", "a.cc", own), ("f", "b.cc", other), "t")


def test_a_type_that_hides_another_is_caught():
    def tags(own, header_scope="namespace:filecall", header="ipc/response.h"):
        return (f'Response\tspool/a.cc\t/^x$/;"\tt\t{own}\n'
                f'Response\t{header}\t/^x$/;"\ts\t{header_scope}\n')
    own = "namespace:filecall::spool::__anon1"
    assert list(rules.hidden_types(tags(own)))
    assert list(rules.hidden_types(tags(own, "namespace:filecall::spool")))
    assert not list(rules.hidden_types(tags(own, "namespace:filecall::client")))
    assert not list(rules.hidden_types(tags("namespace:filecall::spool")))
    assert not list(rules.hidden_types(tags(own, "class:filecall::Plan")))
    assert not list(rules.hidden_types(tags(own, header="ipc/response.cc")))


def test_rooms_are_read_from_cmake():
    files = {
        "a": "filecall_room(room_a SOURCES x.cc)",
        "a/b": "# filecall_room(no SOURCES x.cc)\n"
               "filecall_room(room_b\n  SOURCES x.cc y.cc\n  DEPENDS room_a  # below\n"
               "          PkgConfig::libuv)",
        "c": "filecall_room(room_c SOURCES z.cc)\ntarget_link_libraries(room_c PUBLIC room_b)",
        "d": "add_executable(program main.cc)\ntarget_link_libraries(program PRIVATE room_c)",
        "e": "add_executable(other main.cc)\ntarget_link_libraries(other PRIVATE elsewhere)",
    }
    assert rules.linked_rooms(files) == {"a": [], "a/b": ["a"], "c": ["a/b"], "d": ["c"]}


def test_edges_and_link_lines_must_agree():
    linked = {"a": [], "b": ["a"]}
    assert not list(rules.room_disagreements({"a": [], "b": ["a"]}, linked))
    assert list(rules.room_disagreements({"a": [], "b": []}, linked))
    assert list(rules.room_disagreements({"a": ["b"], "b": ["a"]}, linked))
    assert list(rules.room_disagreements({"b": ["a"]}, linked))
    assert list(rules.room_disagreements({"a": [], "b": ["a"], "c": ["a"]}, linked))


def test_rooms_that_need_each_other_are_caught():
    assert not list(rules.room_cycles({"a": [], "b": ["a"], "c": ["a", "b"]}))
    assert list(rules.room_cycles({"a": ["b"], "b": ["a"]})) == ["a -> b -> a"]
    assert list(rules.room_cycles({"a": ["a"]})) == ["a -> a"]
    assert list(rules.room_cycles({"z": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}))


def test_a_class_in_two_files_is_caught():
    def tags(*places, scope="class:filecall::worker::Thing"):
        return "".join(f'f\tworker/{path}\t/^x$/;"\tf\t{scope}\n' for path in places)
    assert list(rules.split_classes(tags("a.cc", "b.cc")))
    assert list(rules.split_classes(tags("a.cc", "b.cc", scope="struct:filecall::Thing")))
    assert not list(rules.split_classes(tags("a.cc", "a.cc")))
    assert not list(rules.split_classes(tags("a.cc", "a.h")))
    assert not list(rules.split_classes(tags("a.cc", "b.cc", scope="namespace:filecall")))
    own = "class:filecall::__anon1::Thing"
    assert not list(rules.split_classes(tags("a.cc", "b.cc", scope=own)))
