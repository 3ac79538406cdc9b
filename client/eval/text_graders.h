// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/eval/grader.h"
#include "client/eval/pattern.h"
#include "client/eval/text_form.h"

namespace filecall::client {

/// Which part of the answer's text a grader compares, and in which form. An answer from which
/// nothing can be extracted did not keep to the format that was asked for: its score is 0.
struct TextTarget {
  TextForm form{};
  std::optional<Pattern> extract{};
  bool takes_last = true;  ///< Of several matches of `extract`, the last one.
};

/// "exact": the text equals an expected one.
std::unique_ptr<Grader> make_exact_grader(GraderSettings settings, TextTarget target,
                                          Expectation expected);

/// "contains": the expected texts stand in the text. Each list may be empty.
struct ContainsRule {
  std::vector<std::string> any{};   ///< One of them does.
  std::vector<std::string> all{};   ///< Each of them does.
  std::vector<std::string> none{};  ///< None of them does.
  Expectation expected{};           ///< One of its texts does; kNone: nothing more is asked.
};
std::unique_ptr<Grader> make_contains_grader(GraderSettings settings, TextTarget target,
                                             ContainsRule rule);

/// "regex": the expression is found in the text, or matches all of it.
struct RegexRule {
  Pattern pattern;
  bool is_full = false;
  bool is_forbidden = false;  ///< Good when it does not match.
};
std::unique_ptr<Grader> make_regex_grader(GraderSettings settings, TextTarget target,
                                          RegexRule rule);

/// "numeric": a number of the text is near the expected one, which may itself stand in a text.
struct NumericRule {
  Expectation expected{};
  double absolute = 0;     ///< Good within this,
  double relative = 1e-9;  ///< or within this times the expected number.
  bool takes_last = true;  ///< Of several numbers in a text; else the first.
};
std::unique_ptr<Grader> make_numeric_grader(GraderSettings settings, TextTarget target,
                                            NumericRule rule);

/// "similarity": how near the text is to the nearest expected one, from 0 to 1.
enum class SimilarityMetric : std::uint8_t { kEdit, kTokenF1 };
std::unique_ptr<Grader> make_similarity_grader(GraderSettings settings, TextTarget target,
                                               SimilarityMetric metric, Expectation expected);

}  // namespace filecall::client
