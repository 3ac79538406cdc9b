// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::worker::kube {

/// Stands in a text for what was taken out of it.
inline constexpr std::string_view kMask = "[redacted]";

/// A part of a text: bytes [begin, end). Finders append spans in any order, overlaps allowed.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

/// The text with every span replaced by what `mark` makes of it, else by kMask (spans that touch:
/// by one), valid UTF-8 again.
std::string mask_spans(std::string_view text, std::vector<TextSpan> spans,
                       const std::function<std::string(std::string_view)>& mark = nullptr);

}  // namespace filecall::worker::kube
