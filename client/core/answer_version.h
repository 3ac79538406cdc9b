// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace filecall::client {

/// Tells one answer from its successor under the same id. Opaque: only the channel that made it
/// knows what the numbers are; everybody else compares and stores them.
struct AnswerVersion {
  std::uint64_t copy = 0;                 ///< Which copy of the answer.
  std::array<std::int64_t, 2> content{};  ///< Which answer it is a copy of.
  /// The channel cannot tell this copy from one that was put in an earlier one's place: by a worker
  /// that repairs what a power cut took, or from a backup. Not remembered.
  bool is_restored = false;

  bool operator==(const AnswerVersion& other) const {
    return copy == other.copy && content == other.content;
  }
  /// Whether `now` is the answer of this version, or a copy that was put in its place.
  bool is_seen_in(const AnswerVersion& now) const {
    return *this == now || (now.is_restored && content == now.content);
  }
};

}  // namespace filecall::client
