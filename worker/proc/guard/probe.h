// SPDX-License-Identifier: MIT
#pragma once

namespace filecall::worker::guard {

/// Tries every protection on this machine, each in a process of its own, and prints one line for
/// each to standard output: "NAME<TAB>ok" or "NAME<TAB>REASON; what is lost<TAB>what to do".
/// Returns the exit code: 0, or 1 when the trying itself failed.
int print_probe();

}  // namespace filecall::worker::guard
