// SPDX-License-Identifier: MIT
// What a model says, as a plan. An answer is a plan whose calls are of the tools that there are, or
// has a fault with a rule and a message that can be shown. A plan calls something or is done. A
// report has no claim that it does not support itself.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "client/agent/plan/plan_text.h"
#include "client/agent/plan/report_check.h"

namespace {

using namespace filecall;
using namespace filecall::client;

void check_plan(const Result<Plan, PlanFault>& plan, const PlanRules& rules) {
  if (!plan) {
    CHECK(!plan.error().rule.empty() && !plan.error().message.empty(), "a fault has a reason");
    CHECK(is_valid_utf8(plan.error().message), "a fault can be shown");
    return;
  }
  CHECK(plan->done || !plan->calls.empty(), "a plan calls something or is done");
  CHECK(plan->calls.size() <= rules.calls_max, "calls are bounded");
  for (const PlannedCall& call : plan->calls) {
    CHECK(std::find(rules.tools.begin(), rules.tools.end(), call.tool) != rules.tools.end(),
          "a call is of a tool that there is");
    CHECK(call.args.is_object(), "arguments are an object");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  PlanRules rules;
  rules.tools = {"file.list", "file.read", "file.create", "file.edit", "kube.getResource"};
  rules.calls_max = 8;
  check_plan(read_json_plan(text, rules), rules);
  const std::string whole = sanitize_utf8(text);
  check_plan(read_tool_plan({{"text", whole},
                             {"finish_reason", "stop"},
                             {"tool_calls", {{{"name", "file_read"}, {"arguments", whole}}}}},
                            rules),
             rules);
  CHECK(unsupported_claims(whole, {whole}).empty(), "a text supports itself");
  return 0;
}
