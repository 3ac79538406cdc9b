#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a program's man page from what its --help says: generate.py PROGRAM

The help text is the one source: its paragraphs, options, files and exit codes become sections, and
so do the help texts of all subcommands. A heading ends with a colon, a row begins with two spaces
(ipc-schema/base/help_text.h). generate.py --page NAME(SECTION) SUMMARY < PAGE.md writes a page of
docs/ instead, with cmark-gfm.
"""

import os
import re
import subprocess
import sys

HEADING = re.compile(r"^([A-Z][A-Za-z ]+):$")
ROW = re.compile(r"^  (\S.*?)(?:  +(\S.*))?$")
NAMES = {"Files in the root directory": "FILES", "Exit codes": "EXIT STATUS"}
SEE_ALSO = {"filecall": ("filecall-worker(1)",),
            "filecall-worker": ("filecall(1)", "filecall-worker.yaml(5)"),
            "filecall-worker.yaml": ("filecall-worker(1)",)}


def output(*command, text=None):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          input=text or "").stdout


def escaped(text):
    """As roff shows it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = text.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def sections_of(help_text):
    """{heading: lines}; what stands before the first heading has the heading ''."""
    sections, name = {"": []}, ""
    for line in help_text.splitlines():
        heading = HEADING.match(line)
        if heading:
            name = heading[1]
            sections[name] = []
        else:
            sections[name].append(line)
    return sections


def literal(lines):
    text = "\n".join(line.removeprefix("  ") for line in lines).strip("\n")
    return f".PP\n.nf\n.RS\n{escaped(text)}\n.RE\n.fi\n" if text else ""


def paragraphs(lines):
    """Text that flows; what is indented stays as it is."""
    out, flowing = "", []
    for line in [*lines, ""]:
        if line and not line.startswith("  "):
            flowing.append(line)
            continue
        if flowing:
            out += ".PP\n" + escaped("\n".join(flowing)) + "\n"
            flowing = []
        if line:
            out += literal([line])
    return out


def rows(lines):
    entries = []
    for line in lines:
        row = ROW.match(line)
        if row and not line.startswith("   "):
            entries.append([row[1], row[2] or ""])
        elif line.strip():
            entries[-1][1] += " " + line.strip()
    return "".join(f".TP\n\\fB{escaped(head)}\\fR\n{escaped(text.strip())}\n"
                   for head, text in entries)


def body(sections, level):
    out = ""
    for name, lines in sections.items():
        if name in ("", "Commands"):
            continue
        title = NAMES.get(name, name.upper()) if level == "SH" else name
        out += f".SH {title}\n" if level == "SH" else f".PP\n\\fI{title}\\fR\n"
        out += literal(lines) if name == "Examples" else rows(lines)
    return out


def head_of(help_text):
    """(usage, summary, lines after them)."""
    lines = sections_of(help_text)[""]
    return lines[0].removeprefix("Usage: "), lines[1], lines[2:]


def subcommands(program, sections):
    out = ".SH COMMANDS\n"
    for line in sections["Commands"]:
        if not line.strip():
            break
        if line.startswith("   "):  # Where the line above goes on.
            continue
        text = output(program, "help", line.split()[0])
        usage, summary, more = head_of(text)
        out += f".SS {escaped(usage.removeprefix('filecall ').removesuffix(' [OPTION...]'))}\n"
        out += escaped(summary) + "\n" + paragraphs(more)
        out += body({name: lines for name, lines in sections_of(text).items()
                     if name != "Exit codes"}, "SS")
        rows = (line.split() for line in sections_of(text).get("Exit codes", []))
        codes = [row[0] for row in rows if row and row[0].isdigit()]  # Not where a text goes on.
        out += f".PP\nExit status: {', '.join(codes)}.\n"
    return out


def title(name, section, summary):
    version = os.environ["FILECALL_VERSION"]
    return (f'.TH {escaped(name).upper()} {section} "" "filecall {version}" "filecall"\n'
            f".SH NAME\n{escaped(name)} \\- {escaped(summary)}\n")


def see_also(name):
    links = [re.sub(r"(.*)\((\d)\)", lambda m: f".BR {escaped(m[1])} ({m[2]})", link)
             for link in SEE_ALSO[name]]
    return ".SH SEE ALSO\n" + " ,\n".join(links) + "\n"


def tidy(page):
    """No paragraph begins where a section does."""
    return re.sub(r"^(\.S[HS] .*)\n\.PP\n", r"\1\n", page, flags=re.MULTILINE)


def program_page(program):
    name = os.path.basename(program)
    text = output(program, "--help")
    sections = sections_of(text)
    usage, summary, more = head_of(text)
    summary = summary[0].lower() + summary[1:].rstrip(".")
    out = title(name, 1, summary) + f".SH SYNOPSIS\n\\fB{escaped(usage)}\\fR\n"
    out += ".SH DESCRIPTION\n" + paragraphs(more)
    if "Commands" in sections:
        after = sections["Commands"]
        cut = after.index("") if "" in after else len(after)
        out += paragraphs(after[cut:]) + subcommands(program, sections)
    return tidy(out + body(sections, "SH") + see_also(name))


def without_tables(text):
    """A table becomes a list: a terminal is narrower than a page."""
    out, header = [], None
    for line in text.splitlines():
        if not line.startswith("|"):
            header = None
            out.append(line)
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if header is None:
            header = cells
        elif not set(line) <= set("|- "):
            facts = [f"{title}: {cell}" if len(cells) > 2 else cell
                     for title, cell in zip(header[1:], cells[1:])]
            out.append(f"- {cells[0]}: {'; '.join(facts)}")
    return "\n".join(out) + "\n"


def markdown_page(named, summary, text):
    name, section = re.match(r"(.*)\((\d)\)", named).groups()
    text = re.sub(r"<!--.*?-->\n?", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # No file lies beside a man page.
    text = re.sub(r"^# .*\n", "", text).replace("\n## ", "\n# ")
    converted = output("cmark-gfm", "--to", "man", text=without_tables(text))
    converted = re.sub(r"^\.SH\n(.*)$", lambda m: f'.SH "{m[1].upper()}"', converted,
                       flags=re.MULTILINE)
    converted = converted.replace("\n\\f[C]\n", "\n").replace("\n\\f[]\n", "\n")
    converted = converted.replace("\\f[C]", "\\fB").replace("\\f[]", "\\fR")
    return tidy(title(name, section, summary) + ".SH DESCRIPTION\n" + converted + see_also(name))


def main():
    if sys.argv[1] == "--page":
        sys.stdout.write(markdown_page(sys.argv[2], sys.argv[3], sys.stdin.read()))
    else:
        sys.stdout.write(program_page(sys.argv[1]))


if __name__ == "__main__":
    main()
