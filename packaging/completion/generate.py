#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes shell completion from the help texts: generate.py bash|zsh PROGRAM...

Asks each program for --help and each of its subcommands for theirs, so that a completion can only
offer what the program knows. zsh gets the bash functions through its bashcompinit.
"""

import os
import re
import subprocess
import sys

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
# "  name   What it does": a subcommand in the help of the whole program.
SUBCOMMAND = re.compile(r"^  ([a-z]+)(?: [a-zA-Z|.\[\]<>@-]+)*  +\S", re.M)
# What follows a flag when it is no file: the closed sets.
VALUES = {"--durability": "full file none", "--log-format": "text json",
          "--log-level": "trace debug info warn error"}
DIRECTORIES = "--root --report"
WORKER_VERBS = "start stop restart status logs"


def help_of(*command: str) -> str:
    run = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True,
                         stdin=subprocess.DEVNULL)
    return run.stdout


def flags(text: str) -> str:
    return " ".join(sorted(set(FLAG.findall(text))))


def bash_function(program: str) -> str:
    name = os.path.basename(program)
    function = "_" + name.replace("-", "_")
    text = help_of(program)
    subcommands = []
    if name == "filecall":
        subcommands = [s for s in SUBCOMMAND.findall(text)]
    lines = [f"{function}() {{",
             '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=',
             "  case $prev in"]
    for flag, values in VALUES.items():
        if flag in text or subcommands:
            lines.append(f"    {flag}) mapfile -t COMPREPLY < <(compgen -W '{values}' -- \"$cur\");"
                         " return ;;")
    lines.append(f"    {DIRECTORIES.replace(' ', '|')}) "
                 'mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;')
    lines.append("  esac")
    if subcommands:
        lines.append("  if [[ $COMP_CWORD == 1 ]]; then")
        lines.append(f"    words='{' '.join(subcommands)} --help --version'")
        lines.append("  else")
        lines.append("    case ${COMP_WORDS[1]} in")
        for subcommand in subcommands:
            words = flags(help_of(program, subcommand))
            if subcommand == "worker":
                words = f"{WORKER_VERBS} {words}"
            lines.append(f"      {subcommand}) words='{words}' ;;")
        lines += ["    esac", "  fi"]
    else:
        lines.append(f"  words='{flags(text)}'")
    lines.append('  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")')
    lines.append('  [[ $cur == -* || ${#COMPREPLY[@]} -gt 0 ]] ||'
                 ' mapfile -t COMPREPLY < <(compgen -f -- "$cur")')
    lines += ["}", f"complete -F {function} {name}"]
    return "\n".join(lines)


def main() -> int:
    shell, programs = sys.argv[1], sys.argv[2:]
    if shell == "zsh":
        print("#compdef " + " ".join(os.path.basename(p) for p in programs))
        print("autoload -Uz bashcompinit && bashcompinit")
    print("# Written by packaging/completion/generate.py from the help texts.")
    print("\n\n".join(bash_function(program) for program in programs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
