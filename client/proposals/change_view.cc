// SPDX-License-Identifier: MIT
#include "client/proposals/change_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/take_until.h"
#include "base/visible_text.h"
#include "client/proposals/side_by_side.h"
#include "client/report/text_layout.h"
#include "edit/quoted_name.h"

namespace filecall::client {
namespace {

constexpr std::string_view kBold = "1", kRed = "31", kGreen = "32", kYellow = "33", kCyan = "36";

std::string painted(std::string_view text, std::string_view colour, bool has_colour) {
  if (!has_colour || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

std::string member_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string head(const Json& change, bool has_colour) {
  const std::string path = member_text(change, "path");
  const std::string operation = member_text(change, "operation");
  std::string title = fmt::format("{} {}", visible_line(operation), visible_line(path));
  if (change.contains("mode"))
    title += fmt::format(" (mode {})", visible_line(member_text(change, "mode")));
  std::string out = painted(title, kBold, has_colour) + "\n";
  const std::string warning = member_text(change, "warning");
  if (change.value("conflict", false)) {
    const std::string why = warning.empty() ? "it cannot be made" : warning;
    out += painted("conflict: " + visible_line(why), kRed, has_colour) + "\n";
  } else if (!warning.empty()) {
    out += painted("note: " + visible_line(warning), kYellow, has_colour) + "\n";
  }
  return out;
}

/// A hunk that did not stand as it was given, as "hunk 2 fits at line 12 (outer_context)".
std::string fit_lines(const Json& change, bool has_colour) {
  std::string out;
  const auto fit = change.find("fit");
  if (fit == change.end() || !fit->is_array()) return out;
  int number = 0;
  for (const Json& one : *fit) {
    ++number;
    const std::string grade = member_text(one, "grade");
    if (grade.empty() || grade == "exact") continue;
    out += painted(fmt::format("note: part {} does not stand there as it was given: {}, line {}",
                               number, one_line(visible_line(grade), 80), one.value("line", 0)),
                   kYellow, has_colour) +
           "\n";
  }
  return out;
}

/// As `patch` reads it: a TAB ends a name that has a blank.
std::string name_line(const char* sign, const std::string& name) {
  const bool needs_tab = name.find(' ') != std::string::npos;
  return fmt::format("{} {}{}", sign, edit::quote_name(name), needs_tab ? "\t" : "");
}

/// In a line with two names a blank would end the first one.
std::string name_beside_another(const std::string& name) {
  const std::string quoted = edit::quote_name(name);
  const bool is_plain = quoted.starts_with('"') || name.find(' ') == std::string::npos;
  return is_plain ? quoted : "\"" + quoted + "\"";
}

/// How git begins the change of a file, so that `patch` also takes one that has no hunk: an empty
/// file that is made or taken away.
std::string git_lines(const Json& change, bool has_colour) {
  const std::string path = member_text(change, "path");
  const std::string operation = member_text(change, "operation");
  const std::string mode = member_text(change, "mode");
  std::string text = fmt::format("diff --git {} {}", name_beside_another("a/" + path),
                                 name_beside_another("b/" + path));
  if (operation != "update") {
    text += fmt::format("\n{} file mode 100{}", operation == "create" ? "new" : "deleted",
                        mode.size() >= 3 ? mode.substr(mode.size() - 3) : "644");
  }
  return painted(text, kBold, has_colour) + "\n";
}

std::string file_lines(const Json& change, bool has_colour) {
  const std::string path = member_text(change, "path");
  const std::string operation = member_text(change, "operation");
  const std::string before =
      operation == "create" ? "--- /dev/null" : name_line("---", "a/" + path);
  const std::string after = operation == "delete" ? "+++ /dev/null" : name_line("+++", "b/" + path);
  return git_lines(change, has_colour) + painted(before, kBold, has_colour) + "\n" +
         painted(after, kBold, has_colour) + "\n";
}

std::string hunk_line(const Json& hunk, bool has_colour) {
  return painted(one_line(visible_line(member_text(hunk, "header")), 1000), kCyan, has_colour) +
         " hunk " +
         painted(one_line(visible_line(member_text(hunk, "id")), 100), kYellow, has_colour) + "\n";
}

std::string unified_lines(std::string_view diff, bool has_colour) {
  if (!has_colour) return std::string(diff);
  std::string out;
  while (!diff.empty()) {
    const std::string_view line = take_until(&diff, '\n');
    const std::string_view colour = line.starts_with('-')   ? kRed
                                    : line.starts_with('+') ? kGreen
                                                            : std::string_view();
    out += colour.empty() ? std::string(line) : painted(line, colour, true);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string change_text(const Json& change, const ViewOptions& options) {
  std::string out = head(change, options.has_colour);
  out += fit_lines(change, options.has_colour);
  const auto hunks = change.find("hunks");
  if (hunks == change.end() && member_text(change, "operation") == "update") {
    return out + "what changes is not shown: the proposal has no hunks of it\n";
  }
  if (hunks == change.end() || hunks->empty()) {
    const bool is_empty_file = member_text(change, "operation") != "update" &&
                               member_text(change, "new_content").empty() &&
                               !change.value("conflict", false);
    return options.is_side_by_side || !is_empty_file ? out
                                                     : out + git_lines(change, options.has_colour);
  }
  if (!options.is_side_by_side) out += file_lines(change, options.has_colour);
  for (const Json& hunk : *hunks) {
    out += hunk_line(hunk, options.has_colour);
    const std::string diff = member_text(hunk, "diff");
    out += options.is_side_by_side ? side_by_side(member_text(hunk, "header"), diff, options)
                                   : unified_lines(diff, options.has_colour);
  }
  return out;
}

Json printable_change(const Json& change) {
  Json printable = change;
  if (printable.contains("path")) printable["path"] = visible_line(member_text(change, "path"));
  if (!printable.contains("hunks")) return printable;
  for (Json& hunk : printable["hunks"]) {
    for (const char* name : {"id", "header", "diff"}) {
      if (hunk.contains(name)) hunk[name] = visible_text(member_text(hunk, name));
    }
  }
  return printable;
}

std::string merge_text(std::string_view merged, bool has_colour) {
  std::string out;
  while (!merged.empty()) {
    const std::string_view line = take_until(&merged, '\n');
    const bool is_mark = line.starts_with("<<<<<<<") || line.starts_with("|||||||") ||
                         line.starts_with("=======") || line.starts_with(">>>>>>>");
    out += is_mark ? painted(line, kRed, has_colour) : std::string(line);
    out += '\n';
  }
  return out;
}

}  // namespace filecall::client
