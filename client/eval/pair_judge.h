// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/eval/grader.h"
#include "client/eval/judge_prompt.h"
#include "client/eval/judge_record.h"

namespace filecall::client {

enum class Preference : std::uint8_t { kA, kB, kTie };
/// "a", "b", "tie".
std::string_view to_string(Preference preference);
std::optional<Preference> parse_preference(std::string_view name);

/// `pairwise` of a specification: judges say which of two answers to one item is better.
struct PairRule {
  std::vector<Judge> judges{};  ///< Not empty.
  JudgeText text{};             ///< Places {{answer_1}} and {{answer_2}} instead of {{answer}}.
  std::set<std::string, std::less<>> columns{};
  Expectation reference{};
  bool is_structured = false;
  std::string at{};      ///< What of the data is the answer; see answer_of().
  std::string digest{};  ///< Of all that a verdict depends on, but the answers.
};
/// Names of a template for pairs that are no columns.
const std::set<std::string, std::less<>>& pair_places();

/// What the judges of a pair say together.
struct PairVerdict {
  std::optional<Preference> winner{};  ///< Absent: the judges gave no verdict that can be read.
  /// A judge preferred another one when the answers changed places. Its verdict is a tie.
  bool is_inconsistent = false;
  std::string reason{};
  bool lacks_reply = false;     ///< As Grade::lacks_reply.
  Json judges = Json::array();  ///< As judge_record() writes them, two for each judge.
};

/// Asks each judge twice, with A first and with B first. What both orders agree on is the judge's
/// verdict. Of several judges the one that more than half of all name wins, else it is a tie; where
/// half or more gave no verdict there is none. Immutable and pure.
class PairJudge {
 public:
  explicit PairJudge(PairRule rule);

  /// Empty: nothing can be asked; verdict() says why.
  std::vector<Question> questions(const Subject& a, const Subject& b) const;
  /// What must be asked once more, as Grader::questions_again().
  std::vector<Question> questions_again(const Subject& a, const Subject& b,
                                        std::span<const Reply> replies) const;
  /// `replies`: one for each of questions(), then one for each of questions_again().
  PairVerdict verdict(const Subject& a, const Subject& b, std::span<const Reply> replies) const;

 private:
  struct Case {
    std::string task_1;
    std::string task_2;
    std::optional<std::string> reference;
    std::string answer_1;
    std::string answer_2;
    std::map<std::string, std::string> columns;
    std::vector<std::string> texts() const;
    Case swapped() const;
  };
  std::optional<Case> case_of(const Subject& a, const Subject& b, std::string& why) const;
  Question question(const Judge& judge, const Case& shown, bool again) const;
  std::string user_text(const Case& shown, const std::string& code, bool again) const;

  PairRule rule_;
};

}  // namespace filecall::client
