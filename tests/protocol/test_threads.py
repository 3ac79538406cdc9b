# SPDX-License-Identifier: MIT
"""Threads: what was said is a log of lines that verify; and what people do with them."""

import ctypes
import ctypes.util
import json
import stat

import jsonschema
import pytest

from harness import TOP

XXHASH = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
XXHASH.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
SCHEMA = json.loads((TOP / "ipc-schema/schema/thread_record.schema.json").read_text())


def line_of(seq, kind, data, run=None):
    """As docs/protocol.md says it."""
    part = f'{{"seq":{seq},"at":"2026-11-20T22:31:27.104Z","type":"{kind}"'
    part += f',"run":"{run}"' if run else ""
    part += f',"data":{json.dumps(data)}'
    check = XXHASH.XXH3_64bits(part.encode(), len(part.encode()))
    return f'{part},"check":"{check:016x}"}}\n'


def said(client, *words, code=0, **options):
    done = client.run("thread", *words, "--json", **options)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.mark.core
def test_a_thread_is_a_file_of_lines_that_verify(spool, client):
    begun = said(client, "new", "The shop is slow", "--thread", "shop")
    assert begun["id"] == "shop" and begun["title"] == "The shop is slow"
    assert said(client, "rename", "shop", "The shop")["title"] == "The shop"
    path = spool.root / "threads/shop.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    lines = path.read_text().splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["thread.created", "thread.renamed"]
    for number, line in enumerate(lines, 1):
        record = json.loads(line)
        jsonschema.validate(record, SCHEMA)
        assert list(record) == ["seq", "at", "type", "data", "check"] and record["seq"] == number
        part = line[:line.rindex(',"check":')].encode()
        assert record["check"] == f"{XXHASH.XXH3_64bits(part, len(part)):016x}"


def test_threads_are_listed_shown_forked_and_deleted(spool, client):
    assert said(client, "list") == {"threads": [], "unreadable": []}
    first = said(client, "new", "One")["id"]
    assert first.startswith("thread-") and len(first) == 17
    fork = said(client, "fork", first, "Two", "--thread", "two")
    assert fork["parent"] == first and fork["parent_seq"] == 1
    assert said(client, "fork", "two")["title"] == "Two (fork)"
    assert {one["id"] for one in said(client, "list")["threads"]} > {first, "two"}
    assert said(client, "delete", "two")["deleted"] is True
    assert "two" not in {one["id"] for one in said(client, "list")["threads"]}
    assert "two" in {one["id"] for one in said(client, "list", "--all")["threads"]}
    assert (spool.root / "threads/two.jsonl").exists()
    shown = said(client, "show", first)
    assert [one["type"] for one in shown["records"]] == ["thread.created"]
    assert shown["complete"] and not shown["has_older"]
    rows = [line.split() for line in client.run("thread", "list").stdout.splitlines()]
    assert [first, "One"] in [row[:2] for row in rows] and "two" not in [row[0] for row in rows]
    # A deleted id is free again.
    assert said(client, "new", "Three", "--thread", "two")["deleted"] is False


@pytest.mark.parametrize("words, code", [
    (("show", "none"), 2), (("export", "none"), 2), (("rename", "none", "x"), 2),
    (("delete", "none"), 2), (("fork", "none"), 2), (("show", "../up"), 2),
    (("new", "x", "--thread", "a/b"), 2), (("new", "x", "--thread", "there"), 2),
    (("new",), 2), (("remove", "there"), 2), (("show", "there", "--last", "0"), 2),
    (("fork", "there", "--at", "9"), 2)])
def test_what_is_wrong_is_named(spool, client, words, code):
    said(client, "new", "x", "--thread", "there")
    done = client.run("thread", *words)
    assert done.returncode == code and done.stderr.startswith("filecall: "), done.stderr
    assert len(list((spool.root / "threads").glob("*.jsonl"))) == 1


def test_no_thread_is_looked_for_where_no_root_is(client, spool):
    done = client.run("thread", "list", "--root", spool.root / "none")
    assert done.returncode == 2 and "none" in done.stderr
    assert not (spool.root / "none").exists()


def test_a_conversation_is_exported_as_one_document(spool, client):
    said(client, "new", "Shop", "--thread", "shop")
    with open(spool.root / "threads/shop.jsonl", "a", encoding="utf-8") as file:
        file.write(line_of(2, "message", {"role": "user", "text": "Why?"}, "run-a"))
        file.write(line_of(3, "message", {"role": "assistant", "text": "Because."}, "run-a"))
    said(client, "fork", "shop", "Other", "--at", "2", "--thread", "other")
    document = said(client, "export", "shop")
    assert [one["content"] for one in document["messages"]] == ["Why?", "Because."]
    assert document["messages"][0]["createdAt"] == 1795213887104
    assert set(document) == {"id", "title", "createdAt", "updatedAt", "messages", "metadata"}
    assert [one["content"] for one in said(client, "export", "other")["messages"]] == ["Why?"]
    shown = client.run("thread", "show", "shop").stdout
    assert "user:\n        | Why?\n" in shown and "run-a" in shown


def test_a_bad_line_is_named_and_passed_over(spool, client):
    said(client, "new", "Shop", "--thread", "shop")
    path = spool.root / "threads/shop.jsonl"
    with open(path, "a", encoding="utf-8") as file:
        file.write(line_of(2, "message", {"role": "user", "text": "Why?"}).replace("Why", "Who"))
        file.write(line_of(3, "message", {"role": "user", "text": "Where?"}))
        file.write('{"seq":4,"at":"20')
    shown = client.run("thread", "show", "shop")
    assert shown.returncode == 0 and "Where?" in shown.stdout and "Who" not in shown.stdout
    assert "shop.jsonl: the line at byte" in shown.stderr
    assert said(client, "show", "shop")["complete"] is False
    assert said(client, "export", "shop")["metadata"]["complete"] is False
    torn = path.read_bytes()
    done = client.run("thread", "rename", "shop", "New")
    assert done.returncode == 0 and "torn-1" in done.stderr
    assert (spool.root / "threads/shop.jsonl.torn-1").read_text() == '{"seq":4,"at":"20'
    assert path.read_bytes().startswith(torn[:torn.rindex(b"\n") + 1])
    assert said(client, "show", "shop")["records"][-1]["seq"] == 4


@pytest.mark.parametrize("kind", ["link", "open"])
def test_a_folder_of_threads_that_is_not_ours_alone_is_refused(spool, client, folder, kind):
    said(client, "new", "x", "--thread", "there")
    threads = spool.root / "threads"
    if kind == "link":
        threads.rename(folder / "elsewhere")
        threads.symlink_to(folder / "elsewhere")
    else:
        threads.chmod(0o770)
    for words in (("list",), ("show", "there"), ("new", "y"), ("delete", "there")):
        done = client.run("thread", *words)
        assert done.returncode == 2 and "threads" in done.stderr, words


def test_scenarios_are_listed_shown_and_checked(client, folder):
    environment = {"XDG_CONFIG_HOME": str(folder / "config")}
    listed = json.loads(client.run("scenario", "list", "--json", env=environment).stdout)
    assert [one["name"] for one in listed["scenarios"]] == [
        "explore", "code", "editor_code", "kubeops"]
    for one in listed["scenarios"]:
        assert one["built_in"] and one["instructions"]
        assert not any(tool.startswith(("system", "llm", "*")) for tool in one["tools"])
    text = client.run("scenario", "show", "code", env=environment).stdout
    (folder / "config/filecall/scenarios").mkdir(parents=True)
    own = folder / "config/filecall/scenarios/mine.yaml"
    own.write_text(text)
    shown = client.run("scenario", "show", "mine", "--json", env=environment)
    assert json.loads(shown.stdout)["name"] == "mine"
    assert "mine" in client.run("scenario", "list", env=environment).stdout
    own.write_text("tools: [file.read]\nplanner: xml\n")
    done = client.run("scenario", "show", "mine", env=environment)
    assert done.returncode == 2 and "mine.yaml:2:10" in done.stderr
    assert "mine.yaml:2:10" in client.run("scenario", "list", env=environment).stderr
    done = client.run("scenario", "show", "cod", env=environment)
    assert done.returncode == 2 and "did you mean code" in done.stderr
