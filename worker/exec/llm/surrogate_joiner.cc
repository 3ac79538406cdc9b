// SPDX-License-Identifier: MIT
#include "worker/exec/llm/surrogate_joiner.h"

#include <cctype>
#include <cstdlib>
#include <utility>

namespace filecall::worker::llm {
namespace {

constexpr std::size_t kEscapeSize = 6;  // "\ud83d"

enum class Half { kNeither, kFirst, kSecond };

/// What an escape at the start of `text` is. `text` starts with a backslash.
Half half_of(std::string_view text) {
  if (text.size() < kEscapeSize || text[1] != 'u') return Half::kNeither;
  if (text[2] != 'd' && text[2] != 'D') return Half::kNeither;
  for (const char c : text.substr(3, 3)) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return Half::kNeither;
  }
  const char nibble = text[3];
  if (nibble < '8') return Half::kNeither;
  return nibble == '8' || nibble == '9' || nibble == 'a' || nibble == 'A' || nibble == 'b' ||
                 nibble == 'B'
             ? Half::kFirst
             : Half::kSecond;
}

}  // namespace

std::optional<std::string> SurrogateJoiner::join(std::string_view json) {
  std::string joined;
  std::size_t copied = 0;
  bool has_lone_half = false;
  // The escape at `at` becomes `by`.
  const auto replace = [&](std::size_t at, std::string_view by) {
    joined.append(json.substr(copied, at - copied)).append(by);
    copied = at + kEscapeSize;
    has_lone_half = true;
  };
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at)) {
    const Half half = half_of(json.substr(at));
    if (half == Half::kNeither) {
      at += 2;
      continue;
    }
    const std::string_view next = json.substr(at + kEscapeSize);
    if (half == Half::kFirst && next.starts_with('\\') && half_of(next) == Half::kSecond) {
      at += 2 * kEscapeSize;
      continue;
    }
    if (half == Half::kFirst) {
      replace(at, "");
      first_half_ = json.substr(at, kEscapeSize);
    } else if (first_half_.empty()) {
      replace(at, "\\ufffd");
    } else {
      replace(at, std::exchange(first_half_, "") + std::string(json.substr(at, kEscapeSize)));
    }
    at += kEscapeSize;
  }
  if (!has_lone_half) return std::nullopt;
  return std::move(joined.append(json.substr(copied)));
}

}  // namespace filecall::worker::llm
