# SPDX-License-Identifier: MIT
"""The YAML reader beside kubectl's own: what kubectl would send is what we send."""

import json
import os
import random
import subprocess
from pathlib import Path

import kube_cluster
import pytest

LONG = os.environ.get("FILECALL_TEST_MODE") == "long"
PROBE = Path(os.environ.get("FILECALL_BIN_DIR", "build/dev/bin")).parent / "tests/kube_model_probe"

# The one beside the server, not the machine's: another package may own /usr/bin/kubectl.
with_kubectl = pytest.mark.skipif(bool(kube_cluster.missing()), reason=kube_cluster.missing())


def ask(questions):
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    run = subprocess.run([PROBE], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def configmap(number, data):
    return (f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number:05}}}\n"
            f"data:\n{data}")


def kubectl(folder, texts):
    """What kubectl makes of each text; None where it refuses. One run for all that it takes."""
    for number, text in enumerate(texts):
        (folder / f"{number:05}.yaml").write_text(text, encoding="utf-8")
    base = [kube_cluster.kubectl_program(), "--kubeconfig=/dev/null", "label", "--local", "-o",
            "json"]

    def run(names):
        files = [word for name in names for word in ("-f", str(folder / f"{name:05}.yaml"))]
        done = subprocess.run([*base, *files, "zz=1"], capture_output=True, text=True,
                              env={"HOME": str(folder), "PATH": os.environ["PATH"]})
        if done.returncode == 0:
            decoder, out, text = json.JSONDecoder(), [], done.stdout.strip()
            while text:
                value, end = decoder.raw_decode(text)
                out += value["items"] if value["kind"] == "List" else [value]
                text = text[end:].lstrip()
            return dict(zip(names, out))
        if len(names) == 1:
            return {names[0]: None}
        half = len(names) // 2
        return {**run(names[:half]), **run(names[half:])}

    found = run(list(range(len(texts))))
    return [found[number] for number in range(len(texts))]


SCALARS = """
0644 0o644 08 0x1F 0b11 1_000 +1 -7 1:30 2020-01-01 2020-01-01T10:00:00Z 1e3 1.0 1.50 .5 -.5e2
1e400 1e-400 y Y yes Yes YES yES n N no No nO on On oN off OFF oFF true True tRUE false FALSE ~
null Null NULL nuLL 'on' "0644" !!str&1 !!int&"3" !!float&3 !!bool&"yes" !foo&12
!!binary&aGVsbG8= 1.2.3 0x 0b 0o 9223372036854775807 9223372036854775808 -9223372036854775808
18446744073709551615 184467440737095516150 0_8 -0b11 0B11 0X1f 0O17 1. 1.e3 ._5 1__0 _1 0 00 007
-0 -08 +08 +0x1F .e3 e3 1e 1e+3 1E3 .5. +.5 ... 5% @ 1,000 1.0.0 v1 10m 100Mi 0.5e-7 1e21 1e20
123456789.123456789 .nan .inf -.inf +.inf .Inf = !!int&x !!float&x !!bool&1 !!null&x
!!timestamp&2020-01-01 0xG 09 0900 0o8 -1_0 <<
""".replace("\n", " ").split()


@with_kubectl
def test_scalars_mean_what_kubectl_says(folder):
    texts = [configmap(i, f"  v: {word.replace('&', ' ')}\n") for i, word in enumerate(SCALARS)]
    compare(folder, texts)


@with_kubectl
def test_keys_mean_what_kubectl_says(folder):
    keys = [word.replace("&", " ") for word in SCALARS if not word.startswith(("@", "=", "%"))]
    texts = [configmap(i, f"  {key}: v\n") for i, key in enumerate(keys)]
    compare(folder, texts)


STRUCTURES = [
    '  base: &b {a: 1, c: 2}\n  m1: {a: 5, <<: *b}\n  m2: {<<: *b, a: 5}\n',
    '  m3: {<<: [{a: 7},{a: 8, d: 9}], c: 1}\n  m4: {"<<": 3}\n',
    '  m5: {<<: 3}\n',
    '  a: &x [*x]\n',
    '  ? [1, 2]\n  : 3\n',
    '  a: [1, 2,]\n',
    '  a: {b: , c}\n',
    '  a: |\n    x\n     y\n\n  b: >-\n    x\n    y\n\n    z\n  c: |+\n    x\n\n  d: >2\n     x\n',
    '  a: one\n    two\n  b: \'it\'\'s\'\n  c: "\\u00e9\\n\\x41\\\n     b"\n',
    '  a:\n  - 1\n  -\n    b: 2\n  - - 3\n',
    '  a: # comment\n    x\n',
    '  a: x # comment\n  b: x#y\n',
    '  "a": 1\n  \'b\': 2\n',
    '  a: *missing\n',
    '  a: &p x\n  b: *p\n',
    '  a: "x\n',
    '  a: b: c\n',
    '\ta: 1\n',
    '  a: %x\n',
    '  a: !<tag:yaml.org,2002:str> 1\n',
    "  a: []\n  b: {}\n  c: ''\n",
    '  a: |\n    x',
    "  a: 'x",
    '  a: "\\q"\n',
    '  é: ü\n',
    "  a: 'x\n    y\n\n    z'\n",
    '  {a: 1,\n  b: [x,\n  y]}\n',
]


@with_kubectl
def test_structures_mean_what_kubectl_says(folder):
    compare(folder, [configmap(i, text) for i, text in enumerate(STRUCTURES)])


@with_kubectl
def test_random_scalars_mean_what_kubectl_says(folder):
    random.seed(20)
    letters = "0123456789abexEon_+-.:yYN~"
    words = ["".join(random.choice(letters) for _ in range(random.randint(1, 6)))
             for _ in range(400 if LONG else 100)]
    texts = [configmap(i, f"  v: {word}\n") for i, word in enumerate(words)]
    compare(folder, texts, stricter=True)


def compare(folder, texts, stricter=False):
    """`stricter`: texts that the two libraries take apart differently (": " and "- " in odd places)
    may be refused by us, never read as something else."""
    theirs = kubectl(folder, texts)
    ours = ask([{"op": "yaml", "text": text} for text in texts])
    wrong, read = [], 0
    for text, their, our in zip(texts, theirs, ours):
        if "error" in our or len(our["documents"]) != 1:
            if their is not None and not stricter:
                wrong.append((text, their.get("data"), our))
            continue
        if their is None:
            wrong.append((text, None, our))
            continue
        read += 1
        if same(their.get("data")) != same(our["documents"][0].get("data")):
            wrong.append((text, their.get("data"), our["documents"][0].get("data")))
    assert not wrong, "\n".join(f"{text!r}: kubectl {their!r}, ours {our!r}"
                                for text, their, our in wrong)
    assert read > len(texts) / 3


def same(value):
    """Numbers as numbers: kubectl prints a large float with an exponent or without."""
    if isinstance(value, dict):
        return {key: same(item) for key, item in value.items()}
    if isinstance(value, list):
        return [same(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if abs(value) >= 2**53 or value != int(value) else int(value)
    return value
