# SPDX-License-Identifier: MIT
"""Rows and a prompt, as somebody edits them between runs."""

import json

ROWS = "id,country,city\nfr,France,Paris\nit,Italy,Rome\n"


class Experiment:
    """Rows and a prompt that are edited between runs."""

    def __init__(self, folder, client, endpoint):
        self.folder, self.client, self.endpoint = folder, client, endpoint
        self.rows = folder / "rows.csv"
        self.prompt = folder / "ask.txt"
        self.rows.write_text(ROWS)
        self.prompt.write_text("say Paris {{country}}")

    def run(self, *options):
        """The run's id."""
        done = self.client.run("run", self.rows, "--prompt", self.prompt, "--model", "m",
                               "--no-start-worker", "--json", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["run_id"]

    def json(self, *command, code=0):
        done = self.client.run(*command, "--json")
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def calls(self):
        return len(self.endpoint.calls())
