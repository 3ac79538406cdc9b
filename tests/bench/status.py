# SPDX-License-Identifier: MIT
"""How long `filecall status` takes, on roots that scripts have filled and on those of runs."""

import sqlite3

from information import finish
from targets import Row, alone


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
        what = f"filecall status, {files:,} files"
        rows += [bound(f"{what} of a run", driven, limit),
                 alone("  client memory at its peak", "MiB", driven, "mib"),
                 bound("  --counts", counts, limit),
                 bound(f"{what} of scripts: first look", firsts, limit),
                 alone("  --read: every answer is opened", "s", whole, "seconds"),
                 bound("  a look after that", later, limit),
                 alone("  client memory at its peak", "MiB", later, "mib")]
    return rows


def bound(what, done, limit):
    row = alone(what, "s", done, "seconds")
    return Row(row.what, row.unit, None, row.ours, limit, True, row.samples)
