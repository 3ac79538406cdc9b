# SPDX-License-Identifier: MIT
"""The request's file is the claim of its id, between clients that share nothing else."""

import json
import subprocess
import sys

from harness import QUICK_RETRIES, TOP


def foreign(spool, stem, of):
    """The client in one file of Python drops a request."""
    return subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import filecall\n"
         "filecall.submit('system.echo', {'of': sys.argv[4]}, id=sys.argv[3], root=sys.argv[2])",
         TOP / "scripts", spool.root, stem, of], capture_output=True, text=True, check=False)


def test_one_client_gets_an_id_and_the_other_one_is_refused(spool, worker, client):
    assert foreign(spool, "a", "foreign").returncode == 0
    refused = client.run("call", "system.echo", "--id", "a", "--params", '{"of": "ours"}',
                         *QUICK_RETRIES)
    assert refused.returncode != 0 and "request of that id" in refused.stderr
    assert spool.wait_response("a")["data"] == {"of": "foreign"}

    ours = client.run("call", "system.echo", "--id", "b", "--params", '{"of": "ours"}')
    assert ours.returncode == 0 and json.loads(ours.stdout) == {"of": "ours"}
    lost = foreign(spool, "b", "foreign")
    assert lost.returncode != 0 and "another request has this id" in lost.stderr
    assert json.loads(spool.request("b").read_text())["params"] == {"of": "ours"}
    # Who asks the same shares the response.
    same = client.run("call", "system.echo", "--id", "a", "--params", '{"of": "foreign"}')
    assert same.returncode == 0, same.stderr
    assert spool.response("a")["data"] == {"of": "foreign"}
