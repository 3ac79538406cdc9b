// SPDX-License-Identifier: MIT
#include "client/eval/text_graders.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "client/eval/numbers.h"
#include "client/eval/similarity.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

std::string quoted_excerpt(std::string_view text) {
  return fmt::format("'{}'", excerpt(text, 120));
}

/// A grader that looks at a text.
class TextGrader : public Grader {
 public:
  TextGrader(GraderSettings settings, TextTarget target)
      : Grader(std::move(settings)), target_(std::move(target)) {}

 protected:
  const TextForm& form() const { return target_.form; }
  std::string formed(std::string_view text) const { return in_form(text, target_.form); }

 private:
  virtual Judgement find_in(const std::string& text, const Subject& subject) const = 0;

  Judgement judge(const Subject& subject, std::span<const Reply>) const final {
    // First: where nobody knows what is right, no answer is wrong.
    std::string why;
    const Expectation* wanted = expectation();
    if (wanted != nullptr && wanted->source != Expectation::Source::kNone &&
        wanted->texts(subject, why).empty()) {
      return Judgement::none(why);
    }
    auto text = answer_text(subject, settings().at);
    if (!text) return Judgement::of(false, fmt::format("the answer has no {}", settings().at));
    if (target_.extract) {
      const auto part = target_.extract->extract(*text, target_.takes_last);
      if (!part) return Judgement::of(false, "nothing in the answer matches 'extract'");
      text = std::string(*part);
    }
    return find_in(formed(*text), subject);
  }

  TextTarget target_;
};

class ExactGrader final : public TextGrader {
 public:
  ExactGrader(GraderSettings settings, TextTarget target, Expectation expected)
      : TextGrader(std::move(settings), std::move(target)), expected_(std::move(expected)) {}

 private:
  const Expectation* expectation() const override { return &expected_; }
  Judgement find_in(const std::string& text, const Subject& subject) const override {
    std::string why;
    const auto wanted = expected_.texts(subject, why);
    if (wanted.empty()) return Judgement::none(why);
    for (const std::string& one : wanted) {
      if (text == formed(one)) return Judgement::of(true, "equal");
    }
    return Judgement::of(
        false, fmt::format("is {}, expected {}{}", quoted_excerpt(text),
                           quoted_excerpt(wanted.front()), wanted.size() > 1 ? " or another" : ""));
  }

  Expectation expected_;
};

class ContainsGrader final : public TextGrader {
 public:
  ContainsGrader(GraderSettings settings, TextTarget target, ContainsRule rule)
      : TextGrader(std::move(settings), std::move(target)), rule_(std::move(rule)) {}

 private:
  const Expectation* expectation() const override { return &rule_.expected; }
  bool contains(const std::string& text, const std::string& part) const {
    TextForm form_of_part = form();
    form_of_part.trim = false;  // " no" is looked for with its space.
    return text.find(in_form(part, form_of_part)) != std::string::npos;
  }
  bool contains_one(const std::string& text, const std::vector<std::string>& parts) const {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return contains(text, part); });
  }

  Judgement find_in(const std::string& text, const Subject& subject) const override {
    std::string why;
    const auto wanted = rule_.expected.source == Expectation::Source::kNone
                            ? std::vector<std::string>()
                            : rule_.expected.texts(subject, why);
    if (!why.empty()) return Judgement::none(why);
    for (const std::string& part : rule_.none) {
      if (contains(text, part)) return Judgement::of(false, "contains " + quoted_excerpt(part));
    }
    for (const std::string& part : rule_.all) {
      if (!contains(text, part)) return Judgement::of(false, "lacks " + quoted_excerpt(part));
    }
    for (const auto* parts : {&rule_.any, &wanted}) {
      if (parts->empty() || contains_one(text, *parts)) continue;
      return Judgement::of(false, fmt::format("lacks {}{}", quoted_excerpt(parts->front()),
                                              parts->size() > 1 ? " and the alternatives" : ""));
    }
    return Judgement::of(true, "contains what it should");
  }

  ContainsRule rule_;
};

class RegexGrader final : public TextGrader {
 public:
  RegexGrader(GraderSettings settings, TextTarget target, RegexRule rule)
      : TextGrader(std::move(settings), std::move(target)), rule_(std::move(rule)) {}

 private:
  Judgement find_in(const std::string& text, const Subject&) const override {
    const bool matches =
        rule_.is_full ? rule_.pattern.matches_all_of(text) : rule_.pattern.is_found_in(text);
    return Judgement::of(matches != rule_.is_forbidden, matches ? "matches" : "does not match");
  }

  RegexRule rule_;
};

class NumericGrader final : public TextGrader {
 public:
  NumericGrader(GraderSettings settings, TextTarget target, NumericRule rule)
      : TextGrader(std::move(settings), std::move(target)), rule_(std::move(rule)) {}

 private:
  const Expectation* expectation() const override { return &rule_.expected; }
  std::optional<double> number_in(std::string_view text) const {
    const auto numbers = numbers_in(text);
    if (numbers.empty()) return std::nullopt;
    return rule_.takes_last ? numbers.back() : numbers.front();
  }

  Judgement find_in(const std::string& text, const Subject& subject) const override {
    std::string why;
    const auto expected = rule_.expected.value(subject, why);
    if (!expected) return Judgement::none(why);
    const auto wanted = expected->is_number() ? std::optional(expected->get<double>())
                                              : number_in(plain_text(*expected));
    if (!wanted || !std::isfinite(*wanted)) {
      return Judgement::none("the expected value holds no number: " +
                             quoted_excerpt(plain_text(*expected)));
    }
    const auto number = number_in(text);
    if (!number) return Judgement::of(false, "there is no number in " + quoted_excerpt(text));
    const double tolerance = std::max(rule_.absolute, rule_.relative * std::abs(*wanted));
    return Judgement::of(std::abs(*number - *wanted) <= tolerance,
                         fmt::format("is {}, expected {}", *number, *wanted));
  }

  NumericRule rule_;
};

class SimilarityGrader final : public TextGrader {
 public:
  SimilarityGrader(GraderSettings settings, TextTarget target, SimilarityMetric metric,
                   Expectation expected)
      : TextGrader(std::move(settings), std::move(target)),
        metric_(metric),
        expected_(std::move(expected)) {}

 private:
  const Expectation* expectation() const override { return &expected_; }
  Judgement find_in(const std::string& text, const Subject& subject) const override {
    std::string why;
    const auto wanted = expected_.texts(subject, why);
    if (wanted.empty()) return Judgement::none(why);
    double best = 0;
    for (const std::string& one : wanted) {
      const auto similarity = metric_ == SimilarityMetric::kTokenF1
                                  ? token_f1(text, one)
                                  : edit_similarity(text, formed(one));
      if (!similarity) {
        return Judgement::none(
            fmt::format("longer than the {} characters that edit distances are "
                        "made for",
                        kEditLengthMax));
      }
      best = std::max(best, *similarity);
    }
    return {.score = best, .reason = fmt::format("similarity {:.3f}", best)};
  }

  SimilarityMetric metric_;
  Expectation expected_;
};

}  // namespace

std::unique_ptr<Grader> make_exact_grader(GraderSettings settings, TextTarget target,
                                          Expectation expected) {
  return std::make_unique<ExactGrader>(std::move(settings), std::move(target), std::move(expected));
}

std::unique_ptr<Grader> make_contains_grader(GraderSettings settings, TextTarget target,
                                             ContainsRule rule) {
  return std::make_unique<ContainsGrader>(std::move(settings), std::move(target), std::move(rule));
}

std::unique_ptr<Grader> make_regex_grader(GraderSettings settings, TextTarget target,
                                          RegexRule rule) {
  return std::make_unique<RegexGrader>(std::move(settings), std::move(target), std::move(rule));
}

std::unique_ptr<Grader> make_numeric_grader(GraderSettings settings, TextTarget target,
                                            NumericRule rule) {
  return std::make_unique<NumericGrader>(std::move(settings), std::move(target), std::move(rule));
}

std::unique_ptr<Grader> make_similarity_grader(GraderSettings settings, TextTarget target,
                                               SimilarityMetric metric, Expectation expected) {
  return std::make_unique<SimilarityGrader>(std::move(settings), std::move(target), metric,
                                            std::move(expected));
}

}  // namespace filecall::client
