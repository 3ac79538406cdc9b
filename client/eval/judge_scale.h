// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// One of the words that a judge may answer with, and what it is worth.
struct JudgeLabel {
  std::string name;
  double score = 0;  ///< 0..1
  bool operator==(const JudgeLabel&) const = default;
};

/// How a judge says what it thinks: by a label, or by a whole number. Pure.
struct JudgeScale {
  std::int64_t min = 0;
  std::int64_t max = 0;              ///< Equal to `min`: labels.
  std::vector<JudgeLabel> labels{};  ///< Best first; empty: pass (1) or fail (0).

  bool has_labels() const { return min == max; }
};

/// The labels of a scale that has them, best first.
const std::vector<JudgeLabel>& labels_of(const JudgeScale& scale);
/// The score in 0..1 of what was said, e.g. "partly" or "4"; nullopt: it is not on the scale.
std::optional<double> score_on(const JudgeScale& scale, std::string_view said);
/// Everything that may be said, best first: labels, or numbers; at most `max` of them.
std::vector<JudgeLabel> choices_on(const JudgeScale& scale, std::size_t max);
/// The scale in one line, to be compared: "correct=1|partly=0.5|wrong=0", or "1..5".
std::string scale_text(const JudgeScale& scale);
/// The scale that scale_text() wrote so; nullopt: none is written so.
std::optional<JudgeScale> parse_scale(std::string_view text);

}  // namespace filecall::client
