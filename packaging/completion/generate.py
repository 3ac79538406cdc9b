#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes shell completion of a program without subcommands: generate.py bash|zsh PROGRAM

It is made from the program's --help, so it can only offer what the program knows. zsh gets the bash
function through its bashcompinit. (`filecall completion` writes that of the client.)
"""

import os
import re
import subprocess
import sys

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
# What follows a flag: closed sets, and directories; files for the rest.
VALUES = {"--durability": "full journal file none", "--log-format": "text json",
          "--log-level": "debug info warn error"}


def main() -> int:
    shell, program = sys.argv[1], sys.argv[2]
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True,
                          stdin=subprocess.DEVNULL).stdout
    flags = sorted(set(FLAG.findall(text)))
    name = os.path.basename(program)
    function = "_" + name.replace("-", "_")
    if shell == "zsh":
        print(f"#compdef {name}\nautoload -Uz bashcompinit && bashcompinit")
    print("# Written by packaging/completion/generate.py from the help text.")
    print(f"{function}() {{")
    print("  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}")
    print("  case $prev in")
    for flag, values in VALUES.items():
        if flag in flags:
            print(f"    {flag}) COMPREPLY=($(compgen -W '{values}' -- \"$cur\")); return ;;")
    print('    --root) COMPREPLY=($(compgen -d -- "$cur")); return ;;')
    print('    --config | --log-file) COMPREPLY=($(compgen -f -- "$cur")); return ;;')
    print("  esac")
    print(f"  COMPREPLY=($(compgen -W '{' '.join(flags)}' -- \"$cur\"))")
    print(f"}}\ncomplete -F {function} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
