// SPDX-License-Identifier: MIT
#include "client/report/items/label_task.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "client/eval/judging.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kChoicesMax = 50;
constexpr const char* kOrderSeed = "label";

/// Names in the order in which they are labelled.
std::uint64_t blind_rank(std::string_view request_id) {
  return hash64(std::string(kOrderSeed) + "\n" + std::string(request_id));
}

const Grade* grade_of(const ReportItem& item, const std::string& grader) {
  if (!item.evaluation) return nullptr;
  for (const Grade& grade : item.evaluation->grades) {
    if (grade.name == grader) return &grade;
  }
  return nullptr;
}

LabelSubject subject_of(const ReportItem& item, const Grade& grade, const LabelLog& log,
                        const LabelTask& task) {
  LabelSubject subject;
  subject.request_id = item.request_id;
  subject.response_digest = item.evaluation->response_digest;
  subject.prompt = item.prompt;
  subject.answer = item.answer;
  subject.expected = grade.expected;
  subject.vars = item.vars;
  for (const HumanLabel& label : log.of(item.request_id)) {
    const bool is_own = label.by == task.by && label.grader == task.grader &&
                        label.scale == task.scale &&
                        label.response_digest == subject.response_digest;
    if (!is_own) continue;
    subject.label = label.label;
    subject.note = label.note;
  }
  return subject;
}

}  // namespace

Result<const Grader*> choose_grader(const EvalSpec& spec, const std::string& wanted) {
  std::string names;
  std::vector<const Grader*> judges;
  for (const auto& grader : spec.graders) {
    const GraderSettings& settings = grader->settings();
    if (settings.name == wanted) return grader.get();
    names += (names.empty() ? "" : ", ") + one_line(settings.name, 60);
    if (settings.kind == "judge") judges.push_back(grader.get());
  }
  if (wanted.empty() && judges.size() == 1) return judges[0];
  if (wanted.empty() && spec.graders.size() == 1) return spec.graders[0].get();
  return fail(ErrorCode::kInvalidArgument,
              wanted.empty()
                  ? "--grader NAME: which grader's responses to label; there are: " + names
                  : fmt::format("--grader: there is no grader '{}'; there are: {}",
                                one_line(wanted, 60), names));
}

Result<LabelTask> make_label_task(Ledger& ledger, const spool::Layout& layout,
                                  const RunScope& scope, const EvalSpec& spec, const Grader& grader,
                                  const std::string& by,
                                  const std::function<bool(const std::string&)>& is_selected) {
  LabelTask task;
  task.evaluation = spec.name;
  task.grader = grader.settings().name;
  task.guidance = grader.settings().guidance;
  task.by = by;
  TRY_ASSIGN(const LabelLog log, LabelLog::open(layout, spec.name));
  ItemFilter filter;
  filter.evaluation = spec.name;
  TRY(read_items(ledger, layout, scope, filter, [&](const ReportItem& item) {
    if (!is_selected(item.request_id) || item.outcome == ItemOutcome::kMissing) return;
    const Grade* grade = grade_of(item, task.grader);
    const auto scale = grade == nullptr ? std::nullopt : scale_of_grade(*grade);
    const bool fits = scale && (task.scale.empty() || task.scale == *scale);
    if (!fits) {
      ++task.not_graded;
      return;
    }
    task.scale = *scale;
    task.subjects.push_back(subject_of(item, *grade, log, task));
  }));
  if (task.subjects.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("nothing that is selected was evaluated by '{}': run 'filecall eval' "
                            "with this specification first",
                            one_line(task.grader, 60)));
  }
  std::sort(task.subjects.begin(), task.subjects.end(),
            [](const LabelSubject& a, const LabelSubject& b) {
              return blind_rank(a.request_id) < blind_rank(b.request_id);
            });
  if (const auto scale = parse_scale(task.scale)) task.choices = choices_on(*scale, kChoicesMax);
  return task;
}

}  // namespace filecall::client
