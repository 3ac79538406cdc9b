// SPDX-License-Identifier: MIT
#include "client/proposals/three_way.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "edit/patch_reader.h"
#include "edit/text_lines.h"
#include "edit/text_merge.h"

namespace filecall::client {
namespace {

Unexpected<Error> no_base(const Json& change, std::string_view why) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: what it was made for is not known: {}",
                                                       change.value("path", ""), why));
}

/// Takes back the hunks of a difference where they state that they are. False: `content` is not
/// what they make.
bool take_back(const edit::TextLines& content, const std::vector<edit::PatchHunk>& hunks,
               std::string& base) {
  std::size_t next = 0;
  const auto copy = [&] {
    base += content.text(next);
    base += edit::bytes_of(content.end(next));
    ++next;
  };
  for (const edit::PatchHunk& hunk : hunks) {
    if (!hunk.place) return false;
    const bool has_new = std::ranges::any_of(
        hunk.lines, [](const edit::PatchLine& line) { return line.sign != edit::Sign::kRemoved; });
    // A side without lines states the line before it.
    const auto start = static_cast<std::size_t>(hunk.place->new_start) - (has_new ? 1 : 0);
    if (start < next || start > content.size()) return false;
    while (next < start) copy();
    for (const edit::PatchLine& line : hunk.lines) {
      if (line.sign == edit::Sign::kRemoved) {
        base += line.text;
        base += edit::bytes_of(line.end);
        continue;
      }
      if (next >= content.size() || content.text(next) != line.text) return false;
      if (line.sign == edit::Sign::kContext) {
        copy();
      } else {
        ++next;
      }
    }
  }
  while (next < content.size()) copy();
  return true;
}

}  // namespace

Result<std::string> base_content(const Json& change) {
  const auto found = change.find("unified_diff");
  const std::string diff =
      found != change.end() && found->is_string() ? found->get<std::string>() : "";
  if (!change.contains("new_content") || change["operation"] != "update") {
    return no_base(change, "it is no update with a new content");
  }
  const std::string content = change["new_content"].get<std::string>();
  if (diff.empty()) return content;
  auto files = edit::read_patch(diff);
  if (!files) return no_base(change, files.error().message);
  if (files->size() != 1) return no_base(change, "its difference is not of one file");
  TRY_ASSIGN(const auto lines, edit::TextLines::of(content, "new_content"));
  std::string base;
  if (!take_back(lines, files->front().hunks, base)) {
    return no_base(change, "its difference and its new content do not fit each other");
  }
  return base;
}

Result<ThreeWay> three_way(const Json& change, std::string_view present) {
  TRY_ASSIGN(const std::string base, base_content(change));
  TRY_ASSIGN(auto merged,
             edit::merge_texts(base, present, change["new_content"].get_ref<const std::string&>()));
  return ThreeWay{std::move(merged.content), merged.conflicts};
}

}  // namespace filecall::client
