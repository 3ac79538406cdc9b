// SPDX-License-Identifier: MIT
#include "client/cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/utf8.h"
#include "base/visible_text.h"
#include "client/cli/exit_code.h"
#include "client/report/progress_display.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kErrorColumns = 4000;

bool prints_json_errors = false;
bool has_printed = false;
int output_errno = 0;  ///< Of the first write that failed.

std::size_t columns_of(int fd) { return ::isatty(fd) == 0 ? 0 : terminal_columns(fd); }

bool colour_on(int fd) { return wants_colour(fd, std::getenv("NO_COLOR"), std::getenv("TERM")); }

}  // namespace

void set_json_errors() { prints_json_errors = true; }

void print(std::string_view text) {
  has_printed = true;
  // On its way elsewhere it stays as it is: a program reads it.
  const std::string shown = output_is_terminal() ? for_terminal(text) : std::string();
  if (output_is_terminal()) text = shown;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!is_written && output_errno == 0) output_errno = errno;
}

void print_folded(std::string_view text, std::string_view before) {
  print(folded_lines(text, output_columns(), before));
}

void print_json(const Json& value) {
  print(dump_json(value, output_is_terminal() ? 2 : -1));
  print("\n");
}

void print_error(std::string_view text) {
  print_note("filecall: " + one_line(text, kErrorColumns) + "\n");
}

void print_json_error(const Error& error) {
  if (!prints_json_errors || has_printed) return;
  print_json({{"error_code", to_string(error.code)}, {"error_message", error.message}});
}

int report_error(const Error& error) {
  print_error(error.message);
  print_json_error(error);
  return exit_code_of(error.code);
}

void print_note(std::string_view text, bool is_quiet) {
  if (is_quiet) return;
  if (std::fflush(stdout) != 0 && output_errno == 0) output_errno = errno;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::size_t output_columns() { return columns_of(STDOUT_FILENO); }
std::size_t error_columns() { return columns_of(STDERR_FILENO); }
bool output_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }
bool error_is_terminal() { return ::isatty(STDERR_FILENO) != 0; }
bool output_colour() { return colour_on(STDOUT_FILENO); }
bool error_colour() { return colour_on(STDERR_FILENO); }

bool output_works() { return std::ferror(stdout) == 0; }

bool flush_output() {
  if (std::fflush(stdout) != 0 && output_errno == 0) output_errno = errno;
  if (output_errno == 0 && std::ferror(stdout) == 0) return true;
  print_error(std::string("standard output: ") + std::strerror(output_errno));
  return false;
}

int output_exit_code() {
  const bool is_full = output_errno == ENOSPC || output_errno == EDQUOT || output_errno == EFBIG ||
                       output_errno == EIO;
  return is_full ? kExitDisk : kExitGaveUp;
}

}  // namespace filecall::client
