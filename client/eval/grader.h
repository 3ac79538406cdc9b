// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/eval/evaluation.h"
#include "client/eval/row_condition.h"
#include "client/eval/subject.h"
#include "client/eval/turn_subject.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// What every grader has, whatever it does.
struct GraderSettings {
  std::string name;
  std::string kind;
  double weight = 1;
  double threshold = 1;     ///< A grade passes from this score on.
  std::string at;           ///< What of the answer's data it looks at; see answer_of().
  RowCondition rows{};      ///< Which rows it is for.
  bool is_negated = false;  ///< Good where the judgement is bad: the score is 1 minus it.
  std::string guidance{};   ///< For people who label: the criterion of judges; may be empty.
  int turn = kLastTurn;     ///< Of a conversation: which answer it looks at.
  /// It looks at the calls and not at what they answered: several choices are one call.
  bool is_of_call = false;
};

/// What a grader found. Without a score it could not judge, and `reason` says why.
struct Judgement {
  std::optional<double> score{};
  std::string reason{};
  Json details{};

  static Judgement none(std::string reason) { return {.reason = std::move(reason)}; }
  static Judgement of(bool is_good, std::string reason) {
    return {.score = is_good ? 1.0 : 0.0, .reason = std::move(reason)};
  }
};

/// A request that must be answered before an answer can be graded. Its id is derived from its
/// content: the same question again gets the answer that is there.
struct Question {
  std::string request_id;
  std::string command;
  std::string bytes;  ///< The request file's text.
};
/// Every question's id begins so; what has such an id is never evaluated itself.
inline constexpr std::string_view kQuestionPrefix = "filecall-eval-";
/// `by` says who is asked; it becomes part of the metadata, and so of the identity. The member
/// `evaluation_of` of the metadata tells reports that it is nobody's own request.
Question make_question(std::string_view command, Json params, std::string_view by);

/// What became of a question.
struct Reply {
  std::optional<Response> response{};  ///< Absent: given up.
  std::string problem{};               ///< Why, when there is none.
  bool is_given_up = false;            ///< The request failed for good: a retry may answer it.
};

/// Where the expected value of an answer stands.
struct Expectation {
  enum class Source : std::uint8_t {
    kNone,
    kLiteral,   ///< In the specification.
    kVariable,  ///< In the row that the request was made from: metadata.vars.
    kRequest,   ///< At a JSON pointer into the request.
  };
  Source source = Source::kNone;
  Json literal{};
  std::string where{};  ///< The variable's name, or the pointer.
  /// An empty text in the row or the request is what is expected. Otherwise it is a label that
  /// nobody filled in.
  bool may_be_empty = false;

  /// nullopt: it is not there, null, empty or nothing but white space, and `why` says so.
  std::optional<Json> value(const Subject& subject, std::string& why) const;
  /// The same as texts, any of which is right: one, or those of a list. Empty, and `why` says so,
  /// also where one of a list is missing.
  std::vector<std::string> texts(const Subject& subject, std::string& why) const;
};

/// Turns an answer into a grade. Immutable and pure; any thread. Everything about the subject and
/// the replies is untrusted: a grader fails by returning Judgement::none, never otherwise.
class Grader {
 public:
  explicit Grader(GraderSettings settings) : settings_(std::move(settings)) {}
  virtual ~Grader() = default;

  const GraderSettings& settings() const { return settings_; }
  /// What must be asked first; most graders ask nothing. Of an answer with several choices: what
  /// must be asked about each of them, one after the other.
  std::vector<Question> questions(const Subject& subject) const;
  /// What must be asked once more after `replies` to questions(); most graders ask nothing.
  std::vector<Question> questions_again(const Subject& subject,
                                        std::span<const Reply> replies) const;
  /// `replies`: one for each of questions(), then one for each of questions_again(), in that order;
  /// the latter may all be missing. The score of several choices is their mean.
  Grade grade(const Subject& subject, std::span<const Reply> replies) const;

 protected:
  /// What the grade notes as expected; null: the grader compares with nothing.
  virtual const Expectation* expectation() const { return nullptr; }

 private:
  virtual std::vector<Question> ask(const Subject&) const { return {}; }
  virtual std::vector<Question> ask_again(const Subject&, std::span<const Reply>) const {
    return {};
  }
  virtual Judgement judge(const Subject& subject, std::span<const Reply> replies) const = 0;
  Judgement judge_turn(const Subject& whole, std::span<const Reply> replies) const;
  Result<Subject, std::string> of_own_turn(const Subject& whole) const {
    return subject_of_turn(whole, settings_.turn);
  }
  Judgement judge_choices(std::span<const Subject> choices, std::span<const Reply> replies) const;

  GraderSettings settings_;
};

/// Fills outcome, score and passed from the grades: graded when all of them have scores, else
/// ungraded. The score is their weighted mean. `threshold`: passed from this score on; without it,
/// passed when every grade is.
void conclude(Evaluation& evaluation, const std::optional<double>& threshold);

}  // namespace filecall::client
