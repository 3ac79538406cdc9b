// SPDX-License-Identifier: MIT
#include "edit/text_diff.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "edit/git_text.h"
#include "edit/unified_writer.h"

namespace filecall::edit {
namespace {

using Hunks = std::vector<DiffHunk>;

int add_diff_hunk(const git_diff_delta*, const git_diff_hunk* range, void* hunks) {
  DiffHunk hunk;
  hunk.hunk.place = StatedPlace{range->old_start, range->new_start};
  static_cast<Hunks*>(hunks)->push_back(std::move(hunk));
  return 0;
}

int add_diff_line(const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line,
                  void* hunks) {
  PatchHunk& hunk = static_cast<Hunks*>(hunks)->back().hunk;
  std::string_view text(line->content, line->content_len);
  switch (line->origin) {
    case GIT_DIFF_LINE_CONTEXT:
    case GIT_DIFF_LINE_ADDITION:
    case GIT_DIFF_LINE_DELETION:
      break;
    default:  // That a side ends without a newline: the line before says so by itself.
      return 0;
  }
  LineEnd end = LineEnd::kNone;
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
    end = LineEnd::kLf;
    if (text.ends_with('\r')) text.remove_suffix(1), end = LineEnd::kCrLf;
  } else {
    hunk.is_at_end = true;
  }
  hunk.lines.push_back({static_cast<Sign>(line->origin), std::string(text), end});
  return 0;
}

void name_hunks(Hunks& hunks) {
  std::unordered_map<std::string, std::size_t> seen;
  for (DiffHunk& hunk : hunks) {
    hunk.id = hash128(hunk_body(hunk.hunk)).hex().substr(0, 16);
    if (const std::size_t count = ++seen[hunk.id]; count > 1) {
      hunk.id += fmt::format("-{}", count);
    }
  }
}

}  // namespace

Result<std::vector<DiffHunk>> diff_texts(std::string_view before, std::string_view after) {
  TRY(TextLines::of(before, "the text before"));
  TRY(TextLines::of(after, "the text after"));
  const Result<GitText>& git = GitText::get();
  if (!git) return Unexpected(git.error());
  git_diff_options options{};
  options.version = GIT_DIFF_OPTIONS_VERSION;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_UNSPECIFIED;
  options.interhunk_lines = 0;
  options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
  options.context_lines = 3;
  Hunks hunks;
  const int status =
      git->diff(before.data(), before.size(), nullptr, after.data(), after.size(), nullptr,
                &options, nullptr, nullptr, add_diff_hunk, add_diff_line, &hunks);
  CHECK(status == 0, "two texts in memory can be compared");
  name_hunks(hunks);
  return hunks;
}

}  // namespace filecall::edit
