// SPDX-License-Identifier: MIT
#include "client/agent/plan/plan_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/count_text.h"
#include "base/utf8.h"
#include "client/agent/plan/answer_parts.h"
#include "client/agent/plan/content_blocks.h"
#include "client/agent/plan/plan_object.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

PlanFault fault_at(std::string_view text, std::size_t offset, std::string rule,
                   const std::string& message) {
  PlanFault fault{std::move(rule), 1, 1, {}};
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++fault.line;
      fault.column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++fault.column;
    }
  }
  fault.message = fmt::format("line {}, column {}: {}", fault.line, fault.column, message);
  return fault;
}

PlanFault fault_nowhere(std::string rule, std::string message) {
  return {std::move(rule), 0, 0, std::move(message)};
}

bool same_plan(const Plan& a, const Plan& b) {
  return a.calls == b.calls && a.done == b.done && a.summary == b.summary;
}

/// Chooses the plan among the objects of an answer.
class PlanChoice {
 public:
  PlanChoice(std::string_view text, const PlanRules& rules)
      : text_(text), rules_(rules), parts_(split_answer(text)) {}

  Result<Plan, PlanFault> choose() {
    for (const AnswerObject& object : parts_.objects) {
      if (is_plan_object(object.value)) {
        add_plan(object);
      } else if (is_call_object(object.value)) {
        calls_.push_back(&object);
      } else {
        ++others_;
      }
    }
    for (const BrokenObject& broken : parts_.broken) {
      // What is cut off may be the plan.
      if (broken.fault.rule == "truncated") return fault_of(broken);
    }
    if (chosen_ != nullptr) return finish(std::move(plan_));
    if (second_ != nullptr) return two_plans();
    if (first_fault_) return *std::move(first_fault_);
    if (!parts_.broken.empty()) return fault_of(parts_.broken.front());
    if (!calls_.empty()) return bare_calls();
    return fault_at(text_, 0, "no_json",
                    others_ > 0 ? "no object of the answer is a plan; it has 'actions', or 'done' "
                                  "and a 'finalSummary'"
                                : "there is no JSON object in the answer; write exactly one");
  }

 private:
  PlanFault fault_of(const BrokenObject& broken) const {
    return fault_at(text_, broken.fault.offset, broken.fault.rule, broken.fault.message);
  }

  void add_plan(const AnswerObject& object) {
    ++plans_;
    auto plan = read_plan_object(object.value, rules_);
    auto taken = plan ? fill_blocks(*plan) : Result<bool, ShapeFault>(false);
    if (!plan || !taken) {
      const ShapeFault& fault = plan ? taken.error() : plan.error();
      if (!first_fault_) first_fault_ = fault_at(text_, object.begin, fault.rule, fault.message);
      return;
    }
    for (const std::string& repair : object.repairs)
      add_note(plan->notes, repair + " was accepted");
    if (first_ == nullptr) {
      first_ = chosen_ = &object;
      plan_ = *std::move(plan);
    } else if (second_ == nullptr && !same_plan(plan_, *plan)) {
      second_ = &object;
      chosen_ = nullptr;
    }
  }

  Result<bool, ShapeFault> fill_blocks(Plan& plan) const {
    for (PlannedCall& call : plan.calls) TRY(take_blocks(call.args, parts_));
    return true;
  }

  PlanFault two_plans() const {
    const PlanFault first = fault_at(text_, first_->begin, "", "");
    return fault_at(text_, second_->begin, "two_plans",
                    fmt::format("a second plan, which differs from that in line {}, column {}; "
                                "write exactly one object",
                                first.line, first.column));
  }

  Result<Plan, PlanFault> bare_calls() {
    Plan plan;
    if (calls_.size() > rules_.calls_max) {
      return fault_at(text_, calls_[rules_.calls_max]->begin, "too_many_calls",
                      fmt::format("more than {} calls in one answer", rules_.calls_max));
    }
    for (const AnswerObject* object : calls_) {
      auto call = read_call_object(object->value, "the object", rules_, plan.notes);
      auto taken = call ? take_blocks(call->args, parts_) : Result<bool, ShapeFault>(false);
      if (!call || !taken) {
        const ShapeFault& fault = call ? taken.error() : call.error();
        return fault_at(text_, object->begin, fault.rule, fault.message);
      }
      for (const std::string& repair : object->repairs) {
        add_note(plan.notes, repair + " was accepted");
      }
      plan.calls.push_back(*std::move(call));
    }
    add_note(plan.notes, "calls without a plan around them: taken as its actions");
    return finish(std::move(plan));
  }

  Plan finish(Plan plan) const {
    const std::size_t passed = parts_.objects.size() - (plans_ > 0 ? 1 : calls_.size());
    if (passed > 0) {
      add_note(plan.notes, counted_noun(static_cast<std::int64_t>(passed), "other object") +
                               " of the answer passed over");
    }
    if (!parts_.broken.empty()) add_note(plan.notes, "a broken object passed over");
    if (parts_.is_from_block) add_note(plan.notes, "the plan stood in a fenced block");
    if (parts_.has_prose) add_note(plan.notes, "text around the object passed over");
    return plan;
  }

  std::string_view text_;
  const PlanRules& rules_;
  AnswerParts parts_;
  std::vector<const AnswerObject*> calls_;
  std::size_t plans_ = 0;
  std::size_t others_ = 0;
  const AnswerObject* first_ = nullptr;
  const AnswerObject* second_ = nullptr;
  const AnswerObject* chosen_ = nullptr;
  Plan plan_;
  std::optional<PlanFault> first_fault_;
};

std::string text_member(const Json& data, const char* name) {
  const auto found = data.find(name);
  return found != data.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Why an answer cannot be whole; nullopt: it may be.
std::optional<PlanFault> fault_of_end(const Json& data) {
  const std::string reason = text_member(data, "finish_reason");
  if (reason == "length") {
    return fault_nowhere("truncated",
                         "the answer was cut off at the model's limit of tokens; write less at "
                         "once, and long texts in several steps");
  }
  if (reason == "refusal" || reason == "content_filter") {
    const std::string refusal = text_member(data, "refusal");
    return fault_nowhere("refused", "the model or its provider refused" +
                                        (refusal.empty() ? "" : ": " + excerpt(refusal, 400)));
  }
  return {};
}

Result<PlannedCall, PlanFault> read_native_call(const Json& call, std::size_t index,
                                                const PlanRules& rules,
                                                std::vector<std::string>& notes) {
  const std::string where = fmt::format("tool call {}", index + 1);
  const auto refuse = [&where](std::string rule, const std::string& message) {
    return fault_nowhere(std::move(rule), where + ": " + message);
  };
  if (!call.is_object()) return refuse("wrong_shape", "it is no object");
  PlannedCall planned;
  auto tool = find_tool(text_member(call, "name"), rules, notes);
  if (!tool) return refuse(tool.error().rule, tool.error().message);
  planned.tool = *std::move(tool);
  const Json args = call.value("arguments", Json());
  if (args.is_object()) {
    planned.args = args;
    return planned;
  }
  // A function without parameters has none.
  if (args.is_null() || args == "") {
    planned.args = Json::object();
    return planned;
  }
  if (!args.is_string()) return refuse("bad_arguments", "its arguments are no object");
  const std::string& text = args.get_ref<const std::string&>();
  auto read = read_lenient_object(text, 0);
  if (!read) {
    const PlanFault place = fault_at(text, read.error().offset, "", read.error().message);
    return refuse("bad_arguments", "its arguments are no JSON, " + place.message);
  }
  if (!read->value.is_object() || read->end != text.size()) {
    return refuse("bad_arguments", "its arguments are no object");
  }
  for (const std::string& repair : read->repairs) add_note(notes, repair + " was accepted");
  planned.args = std::move(read->value);
  return planned;
}

}  // namespace

Result<Plan, PlanFault> read_json_plan(std::string_view text, const PlanRules& rules) {
  if (text.size() > rules.text_bytes_max) {
    return fault_nowhere("too_large", fmt::format("the answer has {} bytes; at most {} are read",
                                                  text.size(), rules.text_bytes_max));
  }
  const std::size_t invalid = find_invalid_utf8(text);
  if (invalid != std::string_view::npos) {
    return fault_at(text, invalid, "invalid_utf8", "a byte that is no UTF-8");
  }
  return PlanChoice(text, rules).choose();
}

Result<Plan, PlanFault> read_json_answer(const Json& data, const PlanRules& rules) {
  if (!data.is_object()) return fault_nowhere("wrong_shape", "the answer is no object");
  const auto end = fault_of_end(data);
  if (end && end->rule == "refused") return *end;
  auto plan = read_json_plan(text_member(data, "text"), rules);
  // A plan that is whole was not cut off: what came after it was.
  if (!plan && end) return *end;
  return plan;
}

Result<Plan, PlanFault> read_tool_plan(const Json& data, const PlanRules& rules) {
  if (!data.is_object()) return fault_nowhere("wrong_shape", "the answer is no object");
  if (auto fault = fault_of_end(data)) return *std::move(fault);
  Plan plan;
  const std::string text = text_member(data, "text");
  const Json calls = data.value("tool_calls", Json::array());
  if (!calls.is_array()) return fault_nowhere("wrong_shape", "tool_calls is no list");
  if (calls.size() > rules.calls_max) {
    return fault_nowhere("too_many_calls", fmt::format("{} tool calls; a plan has at most {}",
                                                       calls.size(), rules.calls_max));
  }
  if (calls.empty()) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
      return fault_nowhere("empty_plan",
                           "the answer has neither a tool call nor a text; call a tool, or say "
                           "what was done");
    }
    plan.done = true;
    plan.summary = text;
    return plan;
  }
  plan.commentary = short_commentary(text, rules, plan.notes);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    TRY_ASSIGN(PlannedCall call, read_native_call(calls[i], i, rules, plan.notes));
    plan.calls.push_back(std::move(call));
  }
  return plan;
}

}  // namespace filecall::client
