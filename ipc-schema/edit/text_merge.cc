// SPDX-License-Identifier: MIT
#include "edit/text_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "base/check.h"
#include "edit/git_text.h"
#include "edit/text_lines.h"

namespace filecall::edit {
namespace {

constexpr std::size_t kMarkSize = 7;
constexpr std::size_t kMarkSizeMax = 60'000;

/// The longest row of one of the marks' characters that a line begins with.
std::size_t longest_row(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '<' || c == '|' || c == '=' || c == '>') {
      const std::size_t end = std::min(text.find_first_not_of(c, at), text.size());
      longest = std::max(longest, end - at);
    }
    const std::size_t stop = text.find('\n', at);
    at = stop == std::string_view::npos ? text.size() : stop + 1;
  }
  return longest;
}

git_merge_file_input input_of(std::string_view text, const char* name) {
  git_merge_file_input input{};
  input.version = GIT_MERGE_FILE_INPUT_VERSION;
  input.ptr = text.data();
  input.size = text.size();
  input.path = name;
  return input;
}

std::size_t count_marks(std::string_view text, const std::string& mark) {
  std::size_t count = 0;
  for (std::size_t at = text.find(mark); at != std::string_view::npos;
       at = text.find(mark, at + mark.size())) {
    if (at == 0 || text[at - 1] == '\n') ++count;
  }
  return count;
}

}  // namespace

Result<MergedText> merge_texts(std::string_view base, std::string_view ours,
                               std::string_view theirs, const MergeNames& names) {
  std::size_t mark_size = kMarkSize;
  for (const auto& [text, name] : {std::pair(base, &names.base), std::pair(ours, &names.ours),
                                   std::pair(theirs, &names.theirs)}) {
    TRY(TextLines::of(text, *name));
    mark_size = std::max(mark_size, longest_row(text) + 1);
  }
  if (mark_size > kMarkSizeMax) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("a line begins with more than {} marks of a conflict; merge by hand",
                            kMarkSizeMax));
  }
  const Result<GitText>& git = GitText::get();
  if (!git) return Unexpected(git.error());
  const git_merge_file_input inputs[] = {input_of(base, names.base.c_str()),
                                         input_of(ours, names.ours.c_str()),
                                         input_of(theirs, names.theirs.c_str())};
  git_merge_file_options options{};
  options.version = GIT_MERGE_FILE_OPTIONS_VERSION;
  options.ancestor_label = names.base.c_str();
  options.our_label = names.ours.c_str();
  options.their_label = names.theirs.c_str();
  options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
  options.marker_size = static_cast<unsigned short>(mark_size);
  git_merge_file_result result{};
  const int status = git->merge(&result, &inputs[0], &inputs[1], &inputs[2], &options);
  CHECK(status == 0, "three texts in memory can be merged");
  const std::unique_ptr<git_merge_file_result, decltype(git->free_result)> owned(&result,
                                                                                 git->free_result);
  MergedText merged;
  merged.content.assign(result.ptr ? result.ptr : "", result.len);
  if (result.automergeable == 0) {
    merged.conflicts = count_marks(merged.content, std::string(mark_size, '<'));
  }
  return merged;
}

}  // namespace filecall::edit
