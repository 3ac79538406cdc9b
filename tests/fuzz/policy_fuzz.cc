// SPDX-License-Identifier: MIT
// What a policy says of a program. The first line of the input is a text of rules, the rest an
// argv, a word a line. A policy reads or is refused with a place; what it decides is never laxer
// with a rule more that denies or asks; nothing is allowed without a rule that allows; a script of
// a shell is read without end in sight of its size; a rule that an approval would store can be read
// and denies nothing.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "client/approval/core/argv_reading.h"
#include "client/approval/core/policy.h"
#include "client/approval/core/shell_reading.h"
#include "client/approval/core/stored_rule.h"

namespace {

using namespace filecall;
using namespace filecall::client;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (words.size() < 40) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    words.push_back(sanitize_utf8(text.substr(0, end)));
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return words;
}

CallToDecide call_of(const std::vector<std::string>& argv) {
  CallToDecide call;
  call.tool = "tool.run";
  call.args = {{"argv", argv}};
  call.working_directory = "/work";
  call.sandbox = {"workspace-write", true, false};
  return call;
}

void check_stored(const CallToDecide& call) {
  const auto stored = rule_to_store(call);
  if (!stored) {
    CHECK(!stored.error().message.empty(), "it is said why no rule is offered");
    return;
  }
  const auto policy =
      Policy().with({"stored", stored_rules_text({stored->rule}, ""), PolicyText::Kind::kStored});
  CHECK(policy.has_value(), "what is stored can be read");
  // Words that no program would be given may be asked for again.
  CHECK(policy->decide(call).decision != Decision::kDeny, "and denies nothing");
}

void check_stricter(const Policy& policy, const CallToDecide& call) {
  const Verdict before = policy.decide(call);
  CHECK(before.decision != Decision::kAllow || !before.rule.empty() || !policy.human_in_the_loop(),
        "nothing is allowed without a rule");
  for (const char* decision : {"prompt", "deny"}) {
    const std::string rule =
        std::string("policy: {rules: [{tool: \"tool.*\", decision: ") + decision + "}]}";
    const auto more = policy.with({"more", rule});
    if (!more) continue;  // The first one may state what the second one may not.
    CHECK(more->decide(call).decision >= before.decision, "a rule more is never laxer");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string rules(text.substr(0, end));
  const std::vector<std::string> argv = words_of(text.substr(std::min(end + 1, text.size())));
  const CallToDecide call = call_of(argv);
  const Verdict verdict = Policy().decide(call);
  CHECK(verdict.decision != Decision::kAllow, "a program is not allowed by default");
  const ArgvReading reading = read_argv(argv);
  CHECK(!reading.commands.empty() || !reading.doubts.empty(), "something is known of it");
  std::size_t words = 0;
  for (const auto& command : read_shell(text).commands) words += command.size();
  CHECK(words <= size + 1, "no more words than bytes");
  check_stored(call);
  const auto policy = Policy::read({{"policy.yaml", rules}});
  if (!policy) {
    CHECK(is_valid_utf8(policy.error().message) && !policy.error().message.empty(),
          "a complaint can be shown");
    return 0;
  }
  check_stricter(*policy, call);
  return 0;
}
