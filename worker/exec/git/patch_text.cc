// SPDX-License-Identifier: MIT
#include "worker/exec/git/patch_text.h"

#include <fmt/core.h>
#include <git2/types.h>

#include "edit/quoted_name.h"
#include "edit/text_diff.h"
#include "edit/unified_writer.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

std::string side_name(std::string_view side, const std::string& path) {
  return edit::quote_name(fmt::format("{}/{}", side, path));
}

/// A tab ends a name that has a space, so that no reader takes a part of it for a time.
std::string name_line(std::string_view side, const FileSide& file) {
  if (file.mode == 0) return "/dev/null\n";
  const std::string name = side_name(side, file.path);
  const bool needs_tab = !name.starts_with('"') && name.find(' ') != name.npos;
  return fmt::format("{}{}\n", name, needs_tab ? "\t" : "");
}

/// The lines that say which file, which modes and which objects.
std::string header_of(const FileChange& change) {
  const FileSide& before = change.before;
  const FileSide& after = change.after;
  std::string out =
      fmt::format("diff --git {} {}\n", side_name("a", before.path), side_name("b", after.path));
  if (before.mode == 0) {
    out += fmt::format("new file mode {:06o}\n", after.mode);
  } else if (after.mode == 0) {
    out += fmt::format("deleted file mode {:06o}\n", before.mode);
  } else if (before.mode != after.mode) {
    out += fmt::format("old mode {:06o}\nnew mode {:06o}\n", before.mode, after.mode);
  }
  if (change.kind == ChangeKind::kRenamed) {
    out += fmt::format("similarity index 100%\nrename from {}\nrename to {}\n",
                       edit::quote_name(before.path), edit::quote_name(after.path));
  }
  if (::git_oid_equal(&before.id, &after.id) != 0) return out;
  const std::string mode =
      before.mode == after.mode ? fmt::format(" {:06o}", after.mode) : std::string();
  return out + fmt::format("index {}..{}{}\n", hex(before.id), hex(after.id), mode);
}

}  // namespace

Result<PatchText> make_patch(const FileChange& change, const std::string& before,
                             const std::string& after) {
  PatchText patch;
  patch.text = header_of(change);
  TRY_ASSIGN(const auto hunks, edit::diff_texts(before, after));
  if (hunks.empty()) return patch;
  patch.text +=
      fmt::format("--- {}+++ {}", name_line("a", change.before), name_line("b", change.after));
  for (const edit::DiffHunk& hunk : hunks) {
    patch.text += edit::hunk_header(hunk.hunk) + "\n" + edit::hunk_body(hunk.hunk);
    for (const auto& line : hunk.hunk.lines) {
      patch.additions += line.sign == edit::Sign::kAdded ? 1 : 0;
      patch.deletions += line.sign == edit::Sign::kRemoved ? 1 : 0;
    }
  }
  return patch;
}

}  // namespace filecall::worker::git
