// SPDX-License-Identifier: MIT
// What users of earlier planners ran into, line by line: each with the plan, or what the model is
// shown and what was taken otherwise than it was written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/agent/plan/plan_text.h"

namespace filecall::client {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::string kPlan =
    R"({"actions":[{"tool":"kube.getResource","args":{"kind":"Pod"}}],"done":false})";

struct FailureRow {
  const char* symptom;
  std::string text;
  const char* rule;  ///< Null: it is a plan.
  const char* said;  ///< In the message, or in a note.
};

const FailureRow kRows[] = {
    // "Expected ',' or ']' after array element" and its causes.
    {"a trailing comma",
     R"({"actions":[{"tool":"kube.getResource","args":{"kind":"Pod"}},],"done":false,})", nullptr,
     "a trailing comma was accepted"},
    {"names without quotes",
     R"({actions:[{tool:"kube.getResource",args:{kind:"Pod"}}],done:false})", nullptr,
     "a name without quotes was accepted"},
    {"the same plan twice", kPlan + "\n" + kPlan, nullptr,
     "1 other object of the answer passed over"},
    {"two plans that differ",
     kPlan + "\n" + R"({"actions":[{"tool":"kube.logs","args":{}}],"done":false})", "two_plans",
     "line 2, column 1: a second plan, which differs from that in line 1, column 1"},
    {"another object beside the plan", R"(For {"kind":"Pod"} I plan )" + kPlan, nullptr,
     "1 other object of the answer passed over"},
    {"text around the plan", "Sure, here is the plan:\n" + kPlan + "\nI hope this helps.", nullptr,
     "text around the object passed over"},
    {"code fences", "```json\n" + kPlan + "\n```", nullptr, nullptr},
    {"code fences and text", "Here:\n```json\n" + kPlan + "\n```\nDone.", nullptr,
     "text around the object passed over"},
    {"comments", "{ // look first\n" + kPlan.substr(1), nullptr, "a comment was accepted"},
    {"an element without a comma",
     R"({"actions":[{"tool":"kube.getResource"} {"tool":"kube.logs"}],"done":false})", "not_json",
     "line 1, column 41: expected ',' or ']' after an element, found '{'"},
    {"single quotes", "{'actions':[],'done':true}", "not_json", "double quotes"},
    {"braces in strings",
     R"({"actions":[{"tool":"kube.getResource","args":{"kind":"}{\"}"}}],"done":false})", nullptr,
     nullptr},
    {"an unbalanced brace in prose", "I use } and { as signs.\n" + kPlan, nullptr, "text around"},
    {"a missing toolCalls and done", R"({"commentary":"I think"})", "empty_plan",
     "name at least one action"},
    {"no JSON at all", "I would look at the Pods first.", "no_json", "write exactly one"},
    {"nothing at all", "", "no_json", "line 1, column 1"},
    {"JSON that is no plan", R"({"answer":42})", "no_json", "no object of the answer is a plan"},
    // A troubleshooting matrix.
    {"empty actions", R"({"actions":[],"commentary":"thinking","done":false})", "empty_plan",
     "set done to true"},
    {"extra prose and several objects", "First {\"a\":1} then\n" + kPlan + "\nand {\"b\":2}",
     nullptr, "2 other objects of the answer passed over"},
    {"an answer that was cut off", kPlan.substr(0, 50), "truncated", "the answer ends where"},
    {"a plan, and a second one that was cut off", kPlan + "\n{\"actions\":[{\"tool\":", "truncated",
     "line 2"},
    {"a byte that is no UTF-8", "{\"done\":true,\"finalSummary\":\"\xff\"}", "invalid_utf8",
     "column 30"},
    {"a huge depth", "{\"actions\":" + std::string(5000, '['), "too_deep", "nested deeper"},
    {"a name that is there twice", R"({"done":false,"done":true})", "duplicate_name",
     "second member with the name 'done'"},
};

TEST(PlannerFailures, HaveAPlanOrAReasonEach) {
  PlanRules rules;
  rules.tools = {"kube.getResource", "kube.logs"};
  for (const FailureRow& row : kRows) {
    const auto plan = read_json_plan(row.text, rules);
    ASSERT_EQ(plan.has_value(), row.rule == nullptr)
        << row.symptom << ": " << (plan ? "a plan" : plan.error().message);
    if (plan) {
      EXPECT_EQ(plan->calls.size(), 1U) << row.symptom;
      EXPECT_EQ(plan->calls[0].tool, "kube.getResource") << row.symptom;
      if (row.said != nullptr) {
        EXPECT_THAT(plan->notes, Contains(HasSubstr(row.said))) << row.symptom;
      }
    } else {
      EXPECT_EQ(plan.error().rule, row.rule) << row.symptom << ": " << plan.error().message;
      EXPECT_THAT(plan.error().message, HasSubstr(row.said)) << row.symptom;
      EXPECT_GE(plan.error().line, 1U) << row.symptom;
    }
  }
}

}  // namespace
}  // namespace filecall::client
