// SPDX-License-Identifier: MIT
#include "client/eval/tool_called_grader.h"

#include <fmt/core.h>

#include <utility>

#include "base/count_text.h"
#include "client/turns/tool_answer.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

class ToolCalledGrader final : public Grader {
 public:
  ToolCalledGrader(GraderSettings settings, ToolCalledRule rule)
      : Grader(std::move(settings)), rule_(std::move(rule)) {}

 private:
  bool fits(const Json& call) const {
    if (!call.is_object()) return false;
    if (!rule_.tool.empty() && call.value("name", Json()) != rule_.tool) return false;
    return rule_.arguments.is_null() ||
           fits_pattern(rule_.arguments, call.value("arguments", Json()));
  }

  Judgement judge(const Subject& subject, std::span<const Reply>) const override {
    if (is_run_result(subject.request) && !subject.data.contains("tool_calls")) {
      return Judgement::none(
          "the result of this run does not say which tools were called: an earlier version wrote "
          "it; run the task again");
    }
    const Json calls = tool_calls_of(subject, settings().turn);
    std::int64_t count = 0;
    std::string names;
    for (const Json& call : calls) {
      if (fits(call)) ++count;
      const Json name = call.is_object() ? call.value("name", Json()) : Json();
      if (names.size() < 200) names += (names.empty() ? "" : ", ") + plain_text(name);
    }
    const bool is_good = count >= rule_.at_least && count <= rule_.at_most.value_or(count);
    std::string reason =
        fmt::format("{} {}", part_of(count, static_cast<std::int64_t>(calls.size()), "call"),
                    one_or_many(count, "fits", "fit"));
    if (!names.empty()) reason += ": " + excerpt(names, 200);
    return Judgement::of(is_good, std::move(reason));
  }

  ToolCalledRule rule_;
};

}  // namespace

std::unique_ptr<Grader> make_tool_called_grader(GraderSettings settings, ToolCalledRule rule) {
  return std::make_unique<ToolCalledGrader>(std::move(settings), std::move(rule));
}

}  // namespace filecall::client
