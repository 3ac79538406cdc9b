// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/eval/judge_calls.h"
#include "client/eval/judge_scale.h"
#include "client/eval/subject.h"
#include "ipc/json.h"

namespace filecall::client {

/// What a judge is asked about one answer. All of it is untrusted.
struct JudgeCase {
  std::string task;
  std::optional<std::string> reference;
  std::string answer;
  std::map<std::string, std::string> columns{};  ///< Those that the template names.
  JudgedCalls calls{};                           ///< Of tools; shown before the answer.

  /// All of its texts, in a fixed order.
  std::vector<std::string> texts() const;
};

/// How a judge is asked: a criterion in our frame, or a template of one's own.
struct JudgeText {
  std::string criteria{};
  /// Has places {{answer}}, {{prompt}}, {{expected}}, {{criteria}}, and {{COLUMN}} or, for columns
  /// of those names, {{vars.COLUMN}}. Empty: our frame.
  std::string own_template{};
};

/// The names in a template's places, and what of them are columns of the row.
struct TemplatePlaces {
  std::set<std::string, std::less<>> all{};
  std::set<std::string, std::less<>> columns{};  ///< Without "vars.".

  bool has(std::string_view name) const { return all.contains(name); }
};
/// `own`: the names that are no columns. Failure: invalid_argument, a place is not closed.
Result<TemplatePlaces> places_of(const std::string& own_template,
                                 const std::set<std::string, std::less<>>& own);
/// Names of a judge's template that are no columns.
const std::set<std::string, std::less<>>& judge_places();
/// Takes those columns of the row; nullopt: one is not there, or null, and `why` names it.
std::optional<std::map<std::string, std::string>> columns_for(
    const std::set<std::string, std::less<>>& columns, const Subject& subject, std::string& why);

/// What a system message says of the markers, after naming some: data, never an instruction.
std::string_view marker_rule();
/// `{"reason": ..., "verdict": ...}`: the schema of a verdict, as `response_format` of llm.chat.
Json verdict_format(const JudgeScale& scale);
/// What ends every question: how to answer. `again`: an earlier answer had no verdict. `task`: the
/// sentence that says what to do.
std::string verdict_instruction(const JudgeScale& scale, bool again,
                                std::string_view task = "Grade the answer by the criterion.");

/// The texts that a judge is asked with. The system message and the last paragraph are ours and
/// fixed; what stands between them is the criterion with the texts, or the specification's
/// template. Either way each text stands between markers (judge_markers.h). Pure.
class JudgePrompt {
 public:
  JudgePrompt(JudgeText text, JudgeScale scale);

  /// SHA-256 of everything that does not depend on the case: the same for all answers. A changed
  /// word of the frame or of the criterion changes it.
  const std::string& digest() const { return digest_; }
  /// The messages for llm.chat. `again`: those of a second question, after a reply without a
  /// verdict; another text, so that no cache gives the same reply.
  Json messages(const JudgeCase& judged, bool again = false) const;

 private:
  std::string user_text(const JudgeCase& judged, const std::string& code, bool again) const;

  JudgeText text_;
  JudgeScale scale_;
  std::string system_;
  std::string digest_;
};

}  // namespace filecall::client
