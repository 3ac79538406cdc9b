// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace filecall::worker {

/// Output of a program, bounded: the first half of the cap and the last half are kept, what lies
/// between is counted and dropped. Errors stand at the end of an output, their cause at its start.
/// Pure; memory is at most the cap, and only what was written.
class CapturedOutput {
 public:
  explicit CapturedOutput(std::size_t cap_bytes);

  void append(std::string_view bytes);

  std::uint64_t total_bytes() const { return total_bytes_; }
  bool is_truncated() const { return total_bytes_ > cap_bytes_; }
  /// What was kept. When truncated: head, a line "[... N bytes omitted ...]", tail; both are cut
  /// between UTF-8 characters (a character that the cut would split is omitted and counted).
  std::string render() const;
  /// The bytes that were kept of the beginning, and those of the end. What was dropped lay between.
  const std::string& head() const { return head_; }
  std::string tail() const;
  /// The last line that is not blank, at most `max_bytes` of it; for error messages.
  std::string last_line(std::size_t max_bytes) const;

 private:
  std::size_t cap_bytes_;
  std::size_t head_cap_;
  std::uint64_t total_bytes_ = 0;
  std::string head_;
  std::string ring_;            ///< The tail; circular once it has grown to its cap.
  std::size_t ring_start_ = 0;  ///< Index of the oldest byte.
};

}  // namespace filecall::worker
