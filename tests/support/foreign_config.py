# SPDX-License-Identifier: MIT
"""A configuration of another program and what `filecall import` makes of it."""

import json

import jsonschema
import yaml

from harness import TOP

SCHEMA = json.loads((TOP / "ipc-schema/schema/import.schema.json").read_text())


class Imported:
    def __init__(self, client, folder):
        self.client, self.source, self.out = client, folder / "config", folder / "out"
        self.source.mkdir()

    def write(self, name, content):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))

    def take(self, config=None, *options, code=0):
        if config is not None:
            self.write("promptfooconfig.yaml", config)
        done = self.client.run("import", "promptfoo", self.source / "promptfooconfig.yaml",
                               "--out", self.out, "--json", *options)
        assert done.returncode == code, done.stdout + done.stderr
        said = json.loads(done.stdout)
        jsonschema.validate(said, SCHEMA)
        if said["files"] and self.out.exists():
            assert json.loads((self.out / "import.json").read_text()) == said
            assert {str(path.relative_to(self.out)) for path in self.out.rglob("*")
                    if path.is_file()} == {*said["files"], "import.json"}
        return said

    def rows(self):
        return [json.loads(line) for line in (self.out / "tests.jsonl").read_text().splitlines()]

    def yaml(self, name):
        return yaml.safe_load((self.out / name).read_text())
