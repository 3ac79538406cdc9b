// SPDX-License-Identifier: MIT
#include "spool/layout.h"

#include <fmt/compile.h>

#include <charconv>

#include "base/check.h"
#include "base/stem.h"

namespace filecall::spool {
namespace {

constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kThreadSuffix = ".jsonl";
constexpr std::string_view kTemporaryPrefix = ".filecall-";
constexpr std::string_view kCookiePrefix = ".filecall-cookie-";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::string_view kSegmentSuffix = ".log";
constexpr std::string_view kDamagedSuffix = ".log.damaged";
constexpr std::string_view kUnreadable = ".unreadable-";
// Far above any limit on starts, far below what overflows an int.
constexpr std::size_t kStartsDigitsMax = 6;
constexpr std::size_t kSegmentDigitsMax = 9;
constexpr std::size_t kAttemptDigitsMax = 9;

std::optional<int> parse_count(std::string_view digits, std::size_t digits_max) {
  if (digits.empty() || digits.size() > digits_max || digits.front() == '0') return {};
  int count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc{} || end != digits.data() + digits.size() || count < 1) return {};
  return count;
}

}  // namespace

Layout::Layout(std::string root) : root_(std::move(root)) {
  CHECK(!root_.empty(), "a root has a path");
  while (root_.size() > 1 && root_.back() == '/') root_.pop_back();
  home_ = root_;
}

Layout::Layout(std::string root, std::string home) : Layout(std::move(root)) {
  home_ = std::move(home);
}

std::string Layout::unreadable_name(std::string_view stem, int attempt) {
  return file_name(stem).append(kUnreadable).append(std::to_string(attempt));
}

std::string Layout::file_name(std::string_view stem) {
  std::string name;
  name.reserve(stem.size() + kSuffix.size());
  name.append(stem).append(kSuffix);
  return name;
}

std::optional<std::string_view> Layout::stem_of(std::string_view file_name) {
  if (!file_name.ends_with(kSuffix)) return {};
  file_name.remove_suffix(kSuffix.size());
  if (!is_valid_stem(file_name)) return {};
  return file_name;
}

std::optional<std::string_view> Layout::thread_of_name(std::string_view file_name) {
  if (!file_name.ends_with(kThreadSuffix)) return {};
  file_name.remove_suffix(kThreadSuffix.size());
  if (!is_valid_stem(file_name)) return {};
  return file_name;
}

std::optional<std::string_view> Layout::stem_of_unreadable(std::string_view file_name) {
  const std::size_t mark = file_name.rfind(kUnreadable);
  if (mark == std::string_view::npos) return {};
  if (!parse_count(file_name.substr(mark + kUnreadable.size()), kAttemptDigitsMax)) return {};
  return stem_of(file_name.substr(0, mark));
}

std::string Layout::temporary_name(std::uint64_t process, std::uint64_t sequence) {
  // One for every answer: a format string read while compiling costs a tenth.
  return fmt::format(FMT_COMPILE("{}{:016x}-{}{}"), kTemporaryPrefix, process, sequence,
                     kTemporarySuffix);
}

bool Layout::is_temporary(std::string_view file_name) {
  return file_name.starts_with(kTemporaryPrefix) && file_name.ends_with(kTemporarySuffix);
}

std::string Layout::cookie_name(std::uint64_t process, std::uint64_t sequence) {
  return fmt::format("{}{}-{}{}", kCookiePrefix, process, sequence, kTemporarySuffix);
}

bool Layout::is_cookie(std::string_view file_name) {
  return file_name.starts_with(kCookiePrefix) && file_name.ends_with(kTemporarySuffix);
}

bool Layout::is_journal_segment(std::string_view file_name) {
  return file_name.ends_with(kSegmentSuffix) && journal_number(file_name).has_value();
}

bool Layout::is_damaged_journal(std::string_view file_name) {
  return file_name.ends_with(kDamagedSuffix) && journal_number(file_name).has_value();
}

std::optional<int> Layout::journal_number(std::string_view file_name) {
  for (const std::string_view suffix : {kSegmentSuffix, kDamagedSuffix}) {
    if (!file_name.ends_with(suffix)) continue;
    return parse_count(file_name.substr(0, file_name.size() - suffix.size()), kSegmentDigitsMax);
  }
  return {};
}

std::string StartRecordName::format() const {
  CHECK(starts >= 1, "a start record counts from one");
  return fmt::format("{}.{}.{}", stem, starts, to_string(effects));
}

std::optional<StartRecordName> StartRecordName::parse(std::string_view file_name) {
  // From the right: a stem may hold dots.
  const std::size_t effects_dot = file_name.rfind('.');
  if (effects_dot == std::string_view::npos || effects_dot == 0) return {};
  const std::size_t starts_dot = file_name.rfind('.', effects_dot - 1);
  if (starts_dot == std::string_view::npos) return {};

  const auto effects = parse_effects(file_name.substr(effects_dot + 1));
  const auto starts =
      parse_count(file_name.substr(starts_dot + 1, effects_dot - starts_dot - 1), kStartsDigitsMax);
  const std::string_view stem = file_name.substr(0, starts_dot);
  if (!effects || !starts || !is_valid_stem(stem)) return {};
  return StartRecordName{std::string(stem), *starts, *effects};
}

std::string choose_root(std::string_view option, const char* variable_value) {
  if (!option.empty()) return std::string(option);
  if (variable_value != nullptr && *variable_value != '\0') return variable_value;
  return std::string(kDefaultRoot);
}

}  // namespace filecall::spool
