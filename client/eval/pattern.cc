// SPDX-License-Identifier: MIT
#include "client/eval/pattern.h"

#include <re2/re2.h>

#include <utility>

namespace filecall::client {
namespace {

/// The inline flags that say the same: RE2's own options apply them in POSIX syntax only.
std::string flags_of(const Pattern::Options& options) {
  std::string flags;
  if (options.ignore_case) flags += 'i';
  if (options.dot_is_any) flags += 's';
  if (options.is_multi_line) flags += 'm';
  return flags.empty() ? flags : "(?" + flags + ")";
}

re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Result<Pattern> Pattern::compile(const std::string& expression, const Options& options) {
  re2::RE2::Options settings;
  settings.set_log_errors(false);
  auto compiled = std::make_shared<re2::RE2>(flags_of(options) + expression, settings);
  if (!compiled->ok()) {
    return fail(ErrorCode::kInvalidArgument, "regular expression: " + compiled->error());
  }
  return Pattern(std::move(compiled));
}

bool Pattern::is_found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(piece_of(text), *compiled_);
}

bool Pattern::matches_all_of(std::string_view text) const {
  return re2::RE2::FullMatch(piece_of(text), *compiled_);
}

std::optional<std::string_view> Pattern::extract(std::string_view text, bool last) const {
  const int group = compiled_->NumberOfCapturingGroups() > 0 ? 1 : 0;
  std::optional<std::string_view> found;
  re2::StringPiece groups[2];
  const re2::StringPiece piece = piece_of(text);
  for (std::size_t at = 0; at <= text.size();) {
    if (!compiled_->Match(piece, at, text.size(), re2::RE2::UNANCHORED, groups, group + 1)) break;
    // A group that took no part in the match has no place in the text.
    const re2::StringPiece& taken = groups[group];
    found =
        taken.data() == nullptr ? std::string_view() : std::string_view(taken.data(), taken.size());
    if (!last) break;
    const auto end = static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size();
    at = groups[0].empty() ? end + 1 : end;
  }
  return found;
}

}  // namespace filecall::client
