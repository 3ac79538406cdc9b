# SPDX-License-Identifier: MIT
"""Files that a person names or keeps in a folder: what is no file is said, and nothing waits for
it."""

import os
import socket

import pytest


@pytest.fixture
def others(folder):
    """What is no regular file, by its name and what is said of it."""
    place = folder / "others"
    place.mkdir()
    os.mkfifo(place / "fifo.yaml")
    (place / "folder.yaml").mkdir()
    (place / "link.yaml").symlink_to("fifo.yaml")
    (place / "zero.yaml").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place / "socket.yaml"))
    return {"fifo.yaml": "is a FIFO", "link.yaml": "is a FIFO", "folder.yaml": "is a directory",
            "zero.yaml": "is a device", "socket.yaml": "No such device or address"}


@pytest.mark.parametrize("words", [
    ("policy", "check"), ("scenario", "show"), ("proposal", "show"), ("eval",)],
    ids=lambda words: " ".join(words))
def test_a_name_of_something_else_than_a_file_is_refused(client, folder, others, words):
    for name, why in others.items():
        done = client.run(*words, str(folder / "others" / name))
        assert done.returncode != 0, done.stdout
        assert name in done.stderr and why in done.stderr, done.stderr


def test_a_link_to_a_file_is_followed(client, folder):
    (folder / "real.yaml").write_text("policy: {rules: []}\n")
    (folder / "link.yaml").symlink_to("real.yaml")
    assert client.run("policy", "check", str(folder / "link.yaml")).returncode == 0


def test_folders_of_scenarios_and_policies_are_read_past_what_is_no_file(client, folder):
    scenarios = folder / "config/filecall/scenarios"
    scenarios.mkdir(parents=True)
    os.mkfifo(scenarios / "mine.yaml")
    environment = {"XDG_CONFIG_HOME": str(folder / "config")}
    listed = client.run("scenario", "list", env={**os.environ, **environment})
    assert listed.returncode == 0 and "explore" in listed.stdout
    assert "mine.yaml: is a FIFO" in listed.stderr
    os.mkfifo(folder / "config/filecall/policy.yaml")
    # A policy that cannot be read allows nothing.
    done = client.run("policy", "check", env={**os.environ, **environment})
    assert done.returncode != 0 and "policy.yaml: is a FIFO" in done.stderr
