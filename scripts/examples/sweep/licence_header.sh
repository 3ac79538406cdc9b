#!/bin/sh
# SPDX-License-Identifier: MIT
# licence_header.sh FILE: fails when its first two lines name no licence.
head -n 2 -- "$1" | grep -q 'SPDX-License-Identifier: ' && exit 0
echo "$1: no SPDX-License-Identifier in the first two lines"
exit 1
