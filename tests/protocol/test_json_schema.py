# SPDX-License-Identifier: MIT
"""Our JSON Schema checker beside others: the official test suite, and python3-jsonschema.

Where we say something else on purpose, a table below names it with the reason.
"""

import json
import os
import random
import subprocess
from pathlib import Path

import jsonschema
import pytest

PROBE = Path(os.environ.get("FILECALL_BIN_DIR", "build/dev/bin")).parent / "tests/schema_probe"
SUITE = Path("/usr/share/json-schema-test-suite/tests/draft7")
LONG = os.environ.get("FILECALL_TEST_MODE") == "long"

NOT_FETCHED = "a reference leads only into the schema itself: nothing is ever fetched"
NO_FORMAT = "of the formats only date, time and date-time are looked at"
# What the suite expects and we refuse or do not look at: file, group of cases (None: all of the
# file) and why. A line that is true no longer fails the test.
ON_PURPOSE = {
    ("definitions.json", None): NOT_FETCHED,
    ("ref.json", "remote ref, containing refs itself"): NOT_FETCHED,
    ("ref.json", "Recursive references between schemas"): NOT_FETCHED,
    ("refRemote.json", None): NOT_FETCHED,
    ("optional/content.json", None): "contentMediaType and contentEncoding only describe",
    ("optional/ecmascript-regex.json", "ECMA 262 regex non-compliance"): NO_FORMAT,
    **{(f"optional/format/{name}.json", None): NO_FORMAT for name in (
        "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "iri", "iri-reference",
        "json-pointer", "regex", "relative-json-pointer", "uri", "uri-reference", "uri-template")},
}


def verdicts(questions):
    """For each {schema, values}: whether the values fit, or the text of the refusal."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([PROBE], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [answer.get("fits", answer.get("error")) for answer in answers]


def groups():
    for path in sorted(SUITE.rglob("*.json")):
        for group in json.loads(path.read_text()):
            yield str(path.relative_to(SUITE)), group


@pytest.mark.skipif(not SUITE.exists(), reason="Debian's json-schema-test-suite is not installed")
def test_the_official_suite():
    cases = list(groups())
    ours = verdicts({"schema": group["schema"],
                     "values": [test["data"] for test in group["tests"]]} for _, group in cases)
    different = {}
    for (file, group), fits in zip(cases, ours):
        wanted = [test["valid"] for test in group["tests"]]
        if fits == wanted:
            continue
        named = (file, None) if (file, None) in ON_PURPOSE else (file, group["description"])
        odd = fits if isinstance(fits, str) else [
            test["description"] for test, fit in zip(group["tests"], fits) if fit != test["valid"]]
        different.setdefault(named, []).append((group["description"], odd))
    unnamed = {key: value for key, value in different.items() if key not in ON_PURPOSE}
    assert not unnamed, json.dumps([[*key, value] for key, value in unnamed.items()], indent=1)
    assert not set(ON_PURPOSE) - set(different), "these are no differences any longer"
    assert len(cases) > 150


class Writer:
    """Schemas and values on which both checkers must agree: no format (python3-jsonschema does not
    check it here), patterns that mean the same to both, fractions that are exact."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def some(self, make, most=3):
        return [make() for _ in range(self.random.randint(0, most))]

    def name(self):
        return self.random.choice(["a", "b", "c", "d/~", "%", ""])

    def value(self, depth=3):
        kinds = ["null", "bool", "int", "float", "text"] + ["array", "object"] * (depth > 0)
        kind = self.random.choice(kinds)
        if kind == "null":
            return None
        if kind == "bool":
            return self.one_in(2)
        if kind == "int":
            return self.random.choice([-3, -1, 0, 1, 2, 3, 7, 2**53, -2**63, 2**64 - 1])
        if kind == "float":
            return self.random.choice([-1.5, -0.0, 0.5, 1.0, 2.0, 2.5, 1e300])
        if kind == "text":
            return self.random.choice(["", "a", "ab", "aaa", "é", "\U0001f600x", "a\nb", "1", "/"])
        if kind == "array":
            return self.some(lambda: self.value(depth - 1))
        return {self.name(): self.value(depth - 1) for _ in range(self.random.randint(0, 3))}

    def pattern(self):
        return self.random.choice(["a", "^a", "b$", "^.$", "^(a|b)+$", "[0-9]", "^$", "a{2,3}",
                                   "[^a]", "^\\S+$", "\\/", "(?:a)b"])

    def schema(self, depth=4):
        if self.one_in(10):
            return self.one_in(2)
        out = {}
        for _ in range(self.random.randint(1, 3)):
            self.add(out, depth)
        return out

    def add(self, out, depth):
        def inner():
            return self.schema(depth - 1)

        def named():
            return {self.name(): inner() for _ in range(self.random.randint(0, 3))}

        types = ["array", "boolean", "integer", "null", "number", "object", "string"]
        flat = {
            "type": lambda: self.random.choice(types) if self.one_in(2)
            else self.random.sample(types, 2),
            "enum": lambda: [self.value(2) for _ in range(3)],
            "const": lambda: self.value(2),
            "pattern": self.pattern,
            "required": lambda: sorted({self.name() for _ in range(2)}),
            "minimum": lambda: self.random.choice([-1, 0, 1, 1.5, 2**53]),
            "maximum": lambda: self.random.choice([-1, 0, 2, 2.5, 2**63]),
            "exclusiveMinimum": lambda: self.random.choice([-1, 0, 1.0]),
            "exclusiveMaximum": lambda: self.random.choice([0, 2, 7.0]),
            "multipleOf": lambda: self.random.choice([1, 2, 0.5, 3]),
            "minLength": lambda: self.random.randint(0, 3),
            "maxLength": lambda: self.random.randint(0, 3),
            "minItems": lambda: self.random.randint(0, 3),
            "maxItems": lambda: self.random.randint(0, 3),
            "uniqueItems": lambda: self.one_in(2),
            "minProperties": lambda: self.random.randint(0, 3),
            "maxProperties": lambda: self.random.randint(0, 3),
        }
        nested = {
            "properties": named,
            "patternProperties": lambda: {self.pattern(): inner()},
            "additionalProperties": inner,
            "propertyNames": inner,
            "dependencies": lambda: {self.name(): inner() if self.one_in(2) else [self.name()]},
            "items": lambda: inner() if self.one_in(2) else [inner(), inner()],
            "additionalItems": inner,
            "contains": inner,
            "not": inner, "if": inner, "then": inner, "else": inner,
            "allOf": lambda: [inner(), inner()],
            "anyOf": lambda: [inner(), inner()],
            "oneOf": lambda: [inner(), inner()],
            "$ref": lambda: self.random.choice(["#/definitions/a", "#/definitions/b"]),
        }
        choices = flat if depth == 0 or self.one_in(2) else nested
        keyword = self.random.choice(sorted(choices))
        out[keyword] = choices[keyword]()

    def document(self):
        """References lead to definitions that have none: nothing goes in circles."""
        out = self.schema()
        if isinstance(out, bool):
            return out
        plain = Writer(self.random.random())
        for name in ("a", "b"):
            definition = plain.schema(1)
            while "$ref" in json.dumps(definition):
                definition = plain.schema(1)
            out.setdefault("definitions", {})[name] = definition
        return out


def test_random_schemas_beside_python3_jsonschema():
    """FILECALL_RANDOM_COUNT schemas, each with five values."""
    count = int(os.environ.get("FILECALL_RANDOM_COUNT", 100_000 if LONG else 1500))
    differences = []
    fitting = refused = 0
    for begin in range(0, count, 5000):
        questions = []
        for seed in range(begin, min(begin + 5000, count)):
            writer = Writer(seed)
            questions.append({"schema": writer.document(),
                              "values": [writer.value() for _ in range(5)]})
        for question, ours in zip(questions, verdicts(questions)):
            theirs = [jsonschema.Draft7Validator(question["schema"]).is_valid(value)
                      for value in question["values"]]
            fitting += sum(theirs)
            refused += len(theirs) - sum(theirs)
            if ours != theirs:
                differences.append({**question, "ours": ours, "theirs": theirs})
    smallest = sorted(differences, key=lambda one: len(json.dumps(one)))[:5]
    assert not differences, f"{len(differences)} differences: {json.dumps(smallest, indent=1)}"
    assert min(fitting, refused) > count / 2, "both verdicts are tested"
