# SPDX-License-Identifier: MIT
"""Reads the cases of other projects' tests from their sources, Rust and TypeScript, as data: what
files a test writes, which patch or edit it makes of them, and what it expects. Nothing of them
runs. A test that says it in a form that is not known here has no case, but its name is kept."""

import re
import unicodedata
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r'|(?P<raw>b?r(?P<fence>#*)"(?P<inner>.*?)"(?P=fence))'
    r'|(?P<text>b?"(?:[^"\\]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'(?!\w)|`(?:[^`\\]|\\.)*`)'
    r"|(?P<word>[A-Za-z_$][\w$]*)|(?P<number>0x[0-9a-fA-F]+|\d+)|(?P<mark>::|=>|.)", re.S)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
BASE = "/base"  # What stands for a test's own directory.
SAME = {"display", "unwrap", "as_ref", "to_string", "as_str", "clone", "to_path_buf",
        "canonicalize", "expect", "to_owned"}
DIRECTORIES = {"tempDir", "dir", "tmp", "fixture", "test_dir"}


class Unknown(Exception):
    pass


@dataclass
class Content:
    """What a file holds after the change."""
    path: str


@dataclass
class Found:
    """What a test says."""
    name: str
    before: dict = field(default_factory=dict)
    wanted: list = field(default_factory=list)
    after: dict = field(default_factory=dict)  # None: the file is not there.
    is_refused: bool = False


def tokens_of(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        at = match.end()
        kind = match.lastgroup if match.lastgroup not in ("fence", "inner") else "raw"
        if kind != "space":
            found.append((kind, match["inner"] if kind == "raw" else match[0]))
    return found


def plain(escaped):
    """The text of a literal without its quotation marks."""
    def one(match):
        code = match[1]
        if code.startswith("u"):
            return chr(int(code[1:].strip("{}"), 16))
        if code.startswith("\n"):  # Rust: the line goes on behind its indentation.
            return ""
        return ESCAPES.get(code, code)
    return re.sub(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|\n\s*|.)", one, escaped, flags=re.S)


def join(*parts):
    return "/".join(part.strip("/") if i else part.rstrip("/") for i, part in enumerate(parts))


def with_ends(text, end):
    return text.replace("\r\n", "\n").replace("\n", end)


CALLS = {"path.join": join, "normalize": with_ends, "parse_patch": lambda patch: patch,
         "wrap_patch": lambda body: f"*** Begin Patch\n{body}\n*** End Patch",
         "fs.readFile": lambda path, *_: Content(path), "fs::read_to_string": Content,
         "std::fs::read_to_string": Content, "fs::read": Content, "path.dirname": lambda path:
         path.rpartition("/")[0]}


class Reader:
    """Evaluates the few kinds of expression that say a text or a path."""

    def __init__(self, source):
        self.tokens = tokens_of(source)
        self.values = {}

    def at(self, place, *words):
        return all(place + i < len(self.tokens) and self.tokens[place + i][1] == word
                   for i, word in enumerate(words))

    def word(self, place):
        return self.tokens[place][1] if place < len(self.tokens) else ""

    def value(self, place):
        """(value, the place behind it)"""
        left, place = self.term(place)
        while self.at(place, "+"):
            right, place = self.term(place + 1)
            if not isinstance(left, str) or not isinstance(right, str):
                raise Unknown
            left += right
        return left, place

    def term(self, place):
        while self.word(place) in ("await", "yield", "&", "*", "new", "mut"):
            place += 1
        kind, text = self.tokens[place] if place < len(self.tokens) else ("", "")
        if kind == "raw":
            return self.behind(text, place + 1)
        if kind == "text":
            inner = text[text.index(text[-1]) + 1:-1]
            literal = self.filled(inner) if text[-1] == "`" else plain(inner)
            return self.behind(literal, place + 1)
        if self.at(place, "("):
            inner, place = self.value(place + 1)
            if not self.at(place, ")"):
                raise Unknown
            return self.behind(inner, place + 1)
        if kind != "word":
            raise Unknown
        return self.named(place)

    def filled(self, template):
        def one(match):
            inner = Reader(match[1])
            inner.values = self.values
            return str(inner.value(0)[0])
        return plain(re.sub(r"\$\{([^}]*)\}", one, template))

    def named(self, place):
        name, place = self.word(place), place + 1
        while self.word(place) in ("::", ".") and self.tokens[place + 1][0] == "word" and \
                (self.word(place) == "::" or f"{name}.{self.word(place + 1)}" in CALLS):
            name, place = name + self.word(place) + self.word(place + 1), place + 2
        if name == "Effect" and self.at(place, ".", "promise", "(", "(", ")", "=>"):
            value, place = self.value(place + 6)
            return self.behind(value, place + 1)
        if name == "result" and self.at(place, ".", "added", "[", "0", "]"):
            return self.values["the added file"], place + 5
        if name == "format" and self.at(place, "!"):
            values, place = self.arguments(place + 1)
            text = values[0]
            for value in values[1:]:
                text = text.replace("{}", value, 1)
            text = re.sub(r"\{(\w+)\}", lambda match: self.values.get(match[1], match[0]), text)
            return self.behind(text, place)
        if name in CALLS and self.at(place, "("):
            values, place = self.arguments(place)
            return self.behind(CALLS[name](*values), place)
        if name in self.values:
            return self.behind(self.values[name], place)
        if name in DIRECTORIES:
            if self.at(place, ".", "path"):
                place += 4 if self.at(place + 2, "(") else 2
            return self.behind(BASE, place)
        raise Unknown

    def behind(self, value, place):
        """What methods make of a value."""
        while True:
            if self.at(place, "?"):
                place += 1
            elif self.at(place, ".") and self.word(place + 1) in SAME and self.at(place + 2, "("):
                place = self.arguments(place + 2)[1]
            elif self.at(place, ".", "join"):
                parts, place = self.arguments(place + 2)
                value = join(value, *parts)
            elif self.at(place, ".", "normalize"):
                forms, place = self.arguments(place + 2)
                value = unicodedata.normalize(forms[0], value)
            else:
                return value, place

    def arguments(self, place):
        if not self.at(place, "("):
            raise Unknown
        values, place = [], place + 1
        while not self.at(place, ")"):
            value, place = self.value(place)
            values.append(value)
            if self.at(place, ","):
                place += 1
            elif not self.at(place, ")"):
                raise Unknown
        return values, place + 1

    def members(self, place):
        """An object's members: { a: EXPRESSION, b, ... }"""
        found, place = {}, place + 1
        while not self.at(place, "}"):
            name = self.word(place)
            if self.at(place + 1, ":") and self.word(place + 2) in ("true", "input"):
                found[name], place = self.word(place + 2), place + 3
            elif self.at(place + 1, ":"):
                found[name], place = self.value(place + 2)
            else:
                found[name], place = self.value(place)
            if self.at(place, ","):
                place += 1
            elif not self.at(place, "}"):
                raise Unknown
        return found


class Scan:
    """Goes over a source from its beginning to its end, and notes what its tests say."""

    def __init__(self, source):
        self.read = Reader(source)
        self.found = []
        self.test = None

    def run(self):
        for place in range(len(self.read.tokens)):
            for look in (self.begin, self.binding, self.write, self.change, self.outcome):
                try:
                    look(place)
                except (Unknown, IndexError, KeyError, TypeError, AttributeError):
                    continue
        return self.found

    def after_word(self, place, *names):
        """The place behind `NAME(` or `NAME!(`, when it begins here; else None."""
        for name in names:
            words = re.findall(r"\w+|::|[.!]", name)
            if self.read.at(place, *words, "(") and self.read.word(place - 1) not in (".", "fn"):
                return place + len(words) + 1
        return None

    def begin(self, place):
        inside = self.after_word(place, "test", "it.live", "it.effect")
        if inside and self.read.tokens[inside][0] == "text":
            self.test = Found(self.read.value(inside)[0])
            self.found.append(self.test)
        elif self.read.at(place, "fn") and self.read.tokens[place + 1][0] == "word":
            is_test = self.read.word(place + 1).startswith("test_")
            self.read.values.clear()
            self.test = Found(self.read.word(place + 1)) if is_test else None
            self.found += [self.test] if is_test else []

    def binding(self, place):
        if self.read.word(place) not in ("const", "let"):
            return
        name, at = self.read.word(place + 1), place + 2
        if self.read.at(at, ":"):
            while not self.read.at(at, "=") and at < place + 12:
                at += 1
        if not self.read.at(at, "="):
            return
        if self.read.at(at + 1, "await", "apply"):
            self.read.values[name] = Content(f"{BASE}/test.txt")
            return
        try:
            self.read.values[name] = self.read.value(at + 1)[0]
        except Unknown:
            self.read.values.pop(name, None)

    def write(self, place):
        inside = self.after_word(place, "fs.writeFile", "fs::write", "std::fs::write")
        if inside and self.test and not (self.read.at(place - 1, "::") and
                                         self.read.at(place, "fs")):
            path, at = self.read.value(inside)
            self.test.before[path] = self.read.value(at + 1)[0]

    def change(self, place):
        if not self.test:
            return
        if inside := self.after_word(place, "assert_apply_patch_updates_file"):
            name, content, patch, after = self.read.arguments(inside - 1)[0]
            self.test.before[name], self.test.after[name] = content, after
            self.wants(patch=patch)
        elif inside := self.after_word(place, "execute"):
            self.wants(patch=self.read.members(inside)["patchText"])
        elif inside := self.after_word(place, "Patch.applyPatch", "apply_patch"):
            self.wants(patch=self.read.value(inside)[0])
        elif inside := self.after_word(place, "run_apply_patch_in_dir"):
            self.wants(patch=self.read.value(self.read.value(inside)[1] + 1)[0])
        elif (inside := self.after_word(place, "parse_patch")) and self.test.before:
            self.wants(patch=self.read.value(inside)[0])
        elif self.read.at(place, ".", "arg", "(") or self.read.at(place, ".", "write_stdin", "("):
            self.wants(patch=self.read.value(place + 3)[0])
        elif inside := self.after_word(place, "edit.execute"):
            self.edits(self.read.members(inside))
        elif inside := self.after_word(place, "apply"):
            said = self.read.members(inside)
            said["filePath"] = f"{BASE}/test.txt"
            self.test.before[said["filePath"]] = said["content"]
            self.edits(said)

    def edits(self, said):
        self.wants(path=said["filePath"], old=said["oldString"], new=said["newString"],
                   is_all="replaceAll" in said)

    def wants(self, **said):
        if added := re.search(r"^\*\*\* Add File: (.*)$", said.get("patch", ""), re.M):
            self.read.values["the added file"] = added[1]
        if said not in self.test.wanted:
            self.test.wanted.append(said)

    def outcome(self, place):
        if not self.test or not self.test.wanted:
            return
        if inside := self.after_word(place, "expect"):
            got, at = self.read.value(inside)
            if isinstance(got, Content) and self.read.at(at, ")", ".", "rejects"):
                self.test.after[got.path] = None
            elif isinstance(got, Content) and self.read.at(at, ")", ".", "toBe", "("):
                self.test.after[got.path] = self.read.value(at + 4)[0]
        elif inside := self.after_word(place, "assert_eq!"):
            got, want = self.read.arguments(inside - 1)[0][:2]
            if isinstance(got, Content):
                self.test.after[got.path] = want
        elif self.read.at(place, "assert", "!", "(", "!"):
            path, at = self.read.value(place + 4)
            if self.read.at(at, ".", "exists"):
                self.test.after[path] = None
        elif self.read.at(place, "content", ":") and len(self.test.before) == 1:
            self.test.after[next(iter(self.test.before))] = self.read.value(place + 2)[0]
        elif self.read.at(place, ".", "expect_err") or self.read.at(place, ".", "failure", "("):
            self.test.is_refused = True
        elif self.read.at(place, '"Failure"'):
            self.test.is_refused = True
        elif self.read.at(place, ".", "rejects", ".", "toThrow"):
            self.test.is_refused |= not any(text is None for text in self.test.after.values())


def read_tests(source):
    return Scan(source).run()
