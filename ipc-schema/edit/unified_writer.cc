// SPDX-License-Identifier: MIT
#include "edit/unified_writer.h"

#include <fmt/format.h>

#include "base/check.h"
#include "edit/quoted_name.h"

namespace filecall::edit {
namespace {

std::string range(std::int64_t start, std::int64_t count) {
  return count == 1 ? fmt::format("{}", start) : fmt::format("{},{}", start, count);
}

/// A tab ends a name that has a space, so that no reader takes a part of it for a time.
std::string name_line(std::string_view sign, std::string_view prefix, std::string_view name) {
  const std::string quoted = quote_name(std::string(prefix) + std::string(name));
  const bool needs_tab = !quoted.starts_with('"') && quoted.find(' ') != std::string::npos;
  return fmt::format("{} {}{}\n", sign, quoted, needs_tab ? "\t" : "");
}

std::string print_file(const FilePatch& file) {
  const std::string& new_name = file.new_path.empty() ? file.path : file.new_path;
  std::string out;
  // A file that begins or ends, and whose mode nobody knows, has no header of git's, which would
  // have to state one.
  if (file.operation == Operation::kUpdate || file.mode || file.hunks.empty()) {
    out = fmt::format("diff --git {} {}\n", quote_name("a/" + file.path),
                      quote_name("b/" + new_name));
  }
  const std::uint32_t mode = 0100000 | file.mode.value_or(0644);
  if (file.operation == Operation::kCreate) {
    if (!out.empty()) out += fmt::format("new file mode {:o}\n", mode);
  } else if (file.operation == Operation::kDelete) {
    if (!out.empty()) out += fmt::format("deleted file mode {:o}\n", mode);
  } else if (file.mode) {
    out += fmt::format("new mode {:o}\n", mode);
  }
  if (!file.new_path.empty()) {
    out += fmt::format("rename from {}\nrename to {}\n", quote_name(file.path),
                       quote_name(file.new_path));
  }
  if (file.hunks.empty()) return out;
  out +=
      file.operation == Operation::kCreate ? "--- /dev/null\n" : name_line("---", "a/", file.path);
  out +=
      file.operation == Operation::kDelete ? "+++ /dev/null\n" : name_line("+++", "b/", new_name);
  for (const PatchHunk& hunk : file.hunks) out += hunk_header(hunk) + "\n" + hunk_body(hunk);
  return out;
}

}  // namespace

std::string hunk_header(const PatchHunk& hunk) {
  CHECK(hunk.place.has_value(), "a hunk that is printed has a place");
  std::int64_t old_lines = 0;
  std::int64_t new_lines = 0;
  for (const PatchLine& line : hunk.lines) {
    old_lines += line.sign == Sign::kAdded ? 0 : 1;
    new_lines += line.sign == Sign::kRemoved ? 0 : 1;
  }
  return fmt::format("@@ -{} +{} @@", range(hunk.place->old_start, old_lines),
                     range(hunk.place->new_start, new_lines));
}

std::string hunk_body(const PatchHunk& hunk) {
  std::string out;
  for (const PatchLine& line : hunk.lines) {
    out += static_cast<char>(line.sign);
    out += line.text;
    out += line.end == LineEnd::kNone ? "\n\\ No newline at end of file\n" : bytes_of(line.end);
  }
  return out;
}

std::string print_unified_diff(std::span<const FilePatch> files) {
  std::string out;
  for (const FilePatch& file : files) out += print_file(file);
  return out;
}

}  // namespace filecall::edit
