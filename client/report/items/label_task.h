// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/eval/human_label.h"
#include "client/eval/judge_scale.h"
#include "client/eval/spec.h"
#include "client/grades/label_log.h"
#include "client/report/items/item_reader.h"
#include "client/report/items/report_item.h"
#include "ipc/json.h"

namespace filecall::client {

/// One response that a person is to label. Who answered it is not in it.
struct LabelSubject {
  std::string request_id;
  std::string response_digest;
  std::string prompt;
  std::string answer;
  std::string expected;  ///< Empty: the grader compares with nothing.
  Json vars;             ///< An object, or null.
  std::string label;     ///< This person's, of this response; empty: none.
  std::string note;
};

/// What a person is to label, in an order that tells nothing of models.
struct LabelTask {
  std::string evaluation;
  std::string grader;
  std::string guidance;  ///< The criterion of the judges; may be empty.
  std::string scale;     ///< As scale_text() writes it.
  std::vector<JudgeLabel> choices;
  std::string by;  ///< May be empty: the page asks.
  std::vector<LabelSubject> subjects;
  std::int64_t not_graded = 0;  ///< Selected responses that were not evaluated.
};

/// The grader to label: `wanted`, else the only judge, else the only grader. Failure:
/// invalid_argument, names those that there are.
Result<const Grader*> choose_grader(const EvalSpec& spec, const std::string& wanted);

/// Reads the responses that are selected and that `spec` has evaluated. Failures: the ledger's;
/// not_found, there is none.
Result<LabelTask> make_label_task(Ledger& ledger, const spool::Layout& layout,
                                  const RunScope& scope, const EvalSpec& spec, const Grader& grader,
                                  const std::string& by,
                                  const std::function<bool(const std::string&)>& is_selected);

/// A page without network that shows them one by one and writes labels to a file. Pure.
std::string label_page(const LabelTask& task);
/// The key for each choice: its number where that has one digit, else its place; empty: none.
std::vector<std::string> choice_keys(const LabelTask& task);

}  // namespace filecall::client
