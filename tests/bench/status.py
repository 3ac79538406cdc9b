# SPDX-License-Identifier: MIT
"""How long looks at many requests take, on roots that scripts have filled and on those of runs;
then what `show`, `report` and `gc` take there."""

import sqlite3
import sys

from answers import after_looks, bound, collected
from information import finish
from targets import alone


def add_rows(root, files):
    """As a run leaves them: a row in the client's database for each request."""
    database = sqlite3.connect(root / "client/state.db")
    with database:
        database.executemany(
            "INSERT INTO requests (request_id, command, state, attempt, batch, content_hash,"
            " submitted_at_ms, changed_at_ms, finished_at_ms)"
            " VALUES (?, 'system.echo', 'SUCCESS', 1, 'bench', ?, ?, ?, ?)",
            ((f"fill-{i:08d}", f"{i:032x}", 1_790_000_000_000 + i, 1_790_000_000_000 + i,
              1_790_000_000_000 + i) for i in range(files)))
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def look(rig, root, *options):
    return finish(rig, "status", "--root", root, *options, cpu=None)


def looks(rig, scale):
    """Both CPUs: nobody else works on the root."""
    rounds = min(scale.rounds, 5)
    rows = []
    for files, limit in ((scale.many // 5, 0.4), (scale.many, 1.0)):
        with rig.root("tmpfs") as root:
            rig.client(root, "answered", files)
            firsts = []
            for _ in range(rounds):
                firsts.append(look(rig, root))
                (root / "client/seen-answers").unlink()
            whole = [look(rig, root, "--read")]
            later = [look(rig, root) for _ in range(rounds)]
            add_rows(root, files)
            driven = [look(rig, root) for _ in range(rounds)]
            counts = [look(rig, root, "--counts") for _ in range(rounds)]
            more = after_looks(rig, root, files, rounds, files == scale.many)
        what = f"filecall status, {files:,} files"
        rows += [bound(f"{what} of a run", "s", driven, "seconds", limit),
                 alone("  client memory at its peak", "MiB", driven, "mib"),
                 bound("  --counts", "s", counts, "seconds", limit),
                 bound(f"{what} of scripts: first look", "s", firsts, "seconds", limit),
                 alone("  --read: every answer is opened", "s", whole, "seconds"),
                 bound("  a look after that", "s", later, "seconds", limit),
                 alone("  client memory at its peak", "MiB", later, "mib"), *more]
    return rows + on_disk(rig, scale.many // 5)


def on_disk(rig, files):
    """Where syncs cost."""
    with rig.root("disk") as root:
        rig.client(root, "answered", files)
        look(rig, root)
        add_rows(root, files)
        try:
            return collected(rig, root, f"filecall gc, {files:,} answered requests, disk", None)
        except RuntimeError as error:  # Minutes, where each file's blocks are discarded at once.
            print(f"gc on the disk is left out: {error}", file=sys.stderr)
            return []
