// SPDX-License-Identifier: MIT
#include "edit/patch_reader.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "edit/apply_patch_reader.h"
#include "edit/unified_reader.h"

namespace filecall::edit {

std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "create";
    case Operation::kUpdate:
      return "update";
    case Operation::kDelete:
      return "delete";
  }
  return "";
}

std::string shown(std::string_view line) {
  constexpr std::size_t kShownBytes = 80;
  if (line.size() <= kShownBytes) return fmt::format("\"{}\"", line);
  const std::string_view cut = line.substr(0, kShownBytes);
  return fmt::format("\"{}...\"", cut.substr(0, cut.size() - unfinished_utf8_end(cut)));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

Result<PatchCursor> PatchCursor::of(std::string_view text, const PatchLimits& limits) {
  if (text.size() > limits.bytes) {
    return fail(
        ErrorCode::kResourceExhausted,
        fmt::format("the patch has {} bytes, more than {}; divide it", text.size(), limits.bytes));
  }
  auto lines = TextLines::of(text, "the patch");
  if (!lines) return fail(ErrorCode::kInvalidArgument, std::move(lines).error().message);
  return PatchCursor(*std::move(lines));
}

PatchLine PatchCursor::hunk_line() const {
  std::string_view line = text();
  LineEnd end = lines_.end(at_);
  if (end == LineEnd::kNone) {
    end = line.ends_with('\r') ? LineEnd::kCrLf : LineEnd::kLf;
    if (end == LineEnd::kCrLf) line.remove_suffix(1);
  }
  if (line.empty()) return {Sign::kContext, {}, end};
  return {static_cast<Sign>(line[0]), std::string(line.substr(1)), end};
}

Unexpected<Error> PatchCursor::refuse(std::size_t line, std::string_view rule) const {
  return fail(ErrorCode::kInvalidArgument, fmt::format("patch line {}: {}", line + 1, rule));
}

Result<std::vector<FilePatch>> read_patch(std::string_view text, const PatchLimits& limits) {
  return begins_apply_patch(text) ? read_apply_patch(text, limits)
                                  : read_unified_diff(text, limits);
}

}  // namespace filecall::edit
