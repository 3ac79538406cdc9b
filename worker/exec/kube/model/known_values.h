// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// Secret values that were seen in an exchange, to be found again in any text of it: as they are,
/// escaped as in JSON, percent-encoded, and in base64 at every alignment (so also inside a longer
/// encoded text). Not thread-safe; pure.
///
/// - 16 bytes and more: found by pieces, so a text that repeats only a part of the value (a message
///   cut short) is masked too, where it has 31 bytes of it, its first 16 or its last 16.
/// - 6 to 15 bytes: found anywhere as a whole.
/// - 1 to 5 bytes: found only where they stand alone, between characters that are neither letters
///   nor digits: "a" as a secret must not tear every word apart.
class KnownValues {
 public:
  /// Bytes of values that are remembered. Beyond it the class knows that it does not know all:
  /// find() then takes every text as a whole.
  static constexpr std::size_t kBytesMax = 8 * 1024 * 1024;

  void add(std::string_view value);
  bool is_empty() const { return bytes_ == 0; }
  /// Appends where a known value stands in `text`.
  void find(std::string_view text, std::vector<TextSpan>& spans) const;

 private:
  void add_forms(std::string_view value);
  void add_form(std::string_view form);
  void add_base64(std::string_view value);
  void find_alone(std::string_view text, std::vector<TextSpan>& spans) const;

  /// First two bytes of everything to be found at any place.
  /// Empty until there is one: most exchanges know nothing.
  std::vector<bool> starts_;
  /// Digests of 16-byte pieces: the values themselves would cost several times their size.
  std::unordered_set<std::uint64_t> pieces_;
  /// Values of 6 to 15 bytes, and which lengths there are (a bit each) by the digest of their first
  /// 6: as many values may begin alike as there is room for.
  std::unordered_map<std::uint64_t, std::uint32_t> short_begins_;
  std::unordered_set<std::string> shorts_;
  std::set<std::string, std::less<>> alone_;
  std::size_t bytes_ = 0;
};

}  // namespace filecall::worker::kube
