// SPDX-License-Identifier: MIT
#include "client/eval/judge_scale.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace filecall::client {
namespace {

double share_of(const JudgeScale& scale, std::int64_t number) {
  return static_cast<double>(number - scale.min) / static_cast<double>(scale.max - scale.min);
}

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<JudgeScale> parse_labels(std::string_view text) {
  JudgeScale scale;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.rfind('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    const auto score = number_in<double>(part.substr(equals + 1));
    if (!score || !(*score >= 0 && *score <= 1)) return std::nullopt;
    scale.labels.push_back({std::string(part.substr(0, equals)), *score});
  }
  if (scale.labels.size() < 2) return std::nullopt;
  return scale;
}

}  // namespace

std::optional<JudgeScale> parse_scale(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto min = number_in<std::int64_t>(text.substr(0, dots));
  if (dots == std::string_view::npos || !min) return parse_labels(text);
  const auto max = number_in<std::int64_t>(text.substr(dots + 2));
  if (!max || *min >= *max) return std::nullopt;
  JudgeScale scale;
  scale.min = *min;
  scale.max = *max;
  return scale;
}

const std::vector<JudgeLabel>& labels_of(const JudgeScale& scale) {
  static const std::vector<JudgeLabel> kPassFail = {{"pass", 1}, {"fail", 0}};
  return scale.labels.empty() ? kPassFail : scale.labels;
}

std::optional<double> score_on(const JudgeScale& scale, std::string_view said) {
  if (scale.has_labels()) {
    for (const JudgeLabel& label : labels_of(scale)) {
      if (label.name == said) return label.score;
    }
    return std::nullopt;
  }
  const auto number = number_in<std::int64_t>(said);
  if (!number || *number < scale.min || *number > scale.max) return std::nullopt;
  return share_of(scale, *number);
}

std::vector<JudgeLabel> choices_on(const JudgeScale& scale, std::size_t max) {
  std::vector<JudgeLabel> choices;
  if (scale.has_labels()) {
    choices = labels_of(scale);
    if (choices.size() > max) choices.resize(max);
    return choices;
  }
  for (std::int64_t number = scale.max; number >= scale.min && choices.size() < max; --number) {
    choices.push_back({std::to_string(number), share_of(scale, number)});
  }
  return choices;
}

std::string scale_text(const JudgeScale& scale) {
  if (!scale.has_labels()) return fmt::format("{}..{}", scale.min, scale.max);
  std::string text;
  for (const JudgeLabel& label : labels_of(scale)) {
    text += fmt::format("{}{}={}", text.empty() ? "" : "|", label.name, label.score);
  }
  return text;
}

}  // namespace filecall::client
