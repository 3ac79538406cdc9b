// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ipc/json.h"

namespace filecall::client {

/// Standard output; a failure to write it is noticed by flush_output().
void print(std::string_view text);
/// The same for what holds texts of others: a row that the terminal would begin by itself begins
/// with `before`, so that none looks like a line of this program.
void print_folded(std::string_view text, std::string_view before);
/// From now on report_error() also prints a JSON object, unless something was printed before it:
/// what reads standard output finds one document there.
void set_json_errors();
/// Pretty on a terminal, one line otherwise, and a newline.
void print_json(const Json& value);
/// Standard error: "filecall: text", sanitized, on a line of its own.
void print_error(std::string_view text);
/// The same, and the exit code that fits.
int report_error(const Error& error);
/// The JSON object alone, where report_error() would print it.
void print_json_error(const Error& error);
/// Standard error, as it is, for people; nothing when `is_quiet`.
void print_note(std::string_view text, bool is_quiet = false);

bool output_is_terminal();
bool error_is_terminal();
/// How wide the terminal is; 0: it is none.
std::size_t output_columns();
std::size_t error_columns();
/// Colour on standard output, or on standard error.
bool output_colour();
bool error_colour();
/// Whether standard output took everything; says why not on standard error otherwise.
bool flush_output();
/// Whether that is still to be expected; says nothing.
bool output_works();
/// Of a command that failed by its output alone, after flush_output(): 74 where the disk is full.
int output_exit_code();

}  // namespace filecall::client
