// SPDX-License-Identifier: MIT
#include "client/approval/core/policy.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "client/approval/core/risk.h"
#include "client/approval/core/stored_rule.h"
#include "client/approval/core/text_glob.h"
#include "client/core/digest.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

MatchedRule matched_rule(const PolicyRule& rule, bool is_possible_only) {
  return {rule.decision(), rule.text(), rule.file(), rule.line(), rule.reason(), is_possible_only};
}

void name_rule(Verdict& verdict, const MatchedRule& rule) {
  verdict.rule = rule.text;
  verdict.file = rule.file;
  verdict.line = rule.line;
}

/// A stored rule of an earlier version may name too few words. False: it allows nothing at all.
bool narrow_stored(PolicyRule& rule) {
  if (!rule.has_argv()) return true;
  std::vector<std::string> argv;
  const Json json = rule.json();
  for (const Json& word : json["argv"]) {
    argv.push_back(word.is_string() ? word.get<std::string>() : dump_json(word));
  }
  if (is_decided_each_time(read_argv(argv))) return false;
  if (words_that_name(argv) != argv.size()) rule.narrow_to_exact();
  return true;
}

}  // namespace

/// What deciding on one call needs more than once.
struct Policy::Asked {
  const CallToDecide& call;
  ArgvReading reading;
  RiskAssessment risk;
};

Policy::Policy() { seal(); }

Result<Policy> Policy::read(const std::vector<PolicyText>& texts) {
  Policy policy;
  for (const PolicyText& text : texts) TRY(policy.add(text));
  policy.seal();
  return policy;
}

Result<Policy> Policy::with(const PolicyText& text) const {
  Policy policy = *this;
  TRY(policy.add(text));
  policy.seal();
  return policy;
}

Result<void> Policy::add(const PolicyText& text) {
  if (const std::size_t at = find_invalid_utf8(text.text); at != std::string::npos) {
    const auto line = 1 + std::count(text.text.begin(),
                                     text.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}: is not UTF-8", text.file, line));
  }
  std::vector<std::string> complaints;
  auto parsed = YamlSection::parse(text.text, text.file, complaints);
  if (!parsed) return fail(parsed.error().code, sanitize_utf8(parsed.error().message));
  YamlSection& top = *parsed;
  const bool is_stored = text.kind == PolicyText::Kind::kStored;
  const auto read_rules = [&](YamlSection& section) {
    section.each_item("rules", [&](YamlSection& item) {
      auto rule = PolicyRule::read(item, text.file);
      item.finish();
      if (!rule) return;
      if (is_stored && rule->decision() != Decision::kAllow) {
        item.complain("decision", "a stored rule only allows");
        return;
      }
      if (is_stored && !narrow_stored(*rule)) return;
      if (!is_stored) digested_.push_back(rule->json());
      rules_.push_back(std::make_shared<const PolicyRule>(*std::move(rule)));
    });
  };
  if (is_stored) {
    std::string project;
    top.read("project", project);  // Whose rules they are: the reader of the folder has chosen.
    read_rules(top);
    top.finish();
  } else {
    top.section("policy", [&](YamlSection& section) {
      if (section.has("human_in_the_loop")) {
        bool human = true;
        section.read("human_in_the_loop", human);
        // The strictest text wins.
        human_in_the_loop_ = states_human_ ? human_in_the_loop_ || human : human;
        states_human_ = true;
      }
      read_rules(section);
    });
    if (text.kind == PolicyText::Kind::kPolicy) top.finish();
  }
  if (complaints.empty()) return {};
  return fail(ErrorCode::kInvalidArgument,
              // The reader of YAML makes odd bytes of a NUL.
              sanitize_utf8(fmt::format("{}", fmt::join(complaints, "\n"))));
}

void Policy::seal() {
  const Json whole = {{"human_in_the_loop", human_in_the_loop_}, {"rules", digested_}};
  digest_ = digest_of(dump_json(whole));
}

Verdict Policy::decide(const CallToDecide& call) const {
  Asked asked{call, read_argv(argv_of(call.args)), {}};
  asked.risk = assess_risk(call, asked.reading);
  Verdict verdict;
  verdict.risk = asked.risk.risk;
  verdict.reasons = asked.risk.reasons;
  for (const auto& rule : rules_) {
    const Fit fit = rule->fit(call, asked.reading);
    if (fit != Fit::kNone) verdict.matched.push_back(matched_rule(*rule, fit == Fit::kPossible));
  }
  const MatchedRule* prompting = nullptr;
  for (const MatchedRule& one : verdict.matched) {
    if (one.decision == Decision::kDeny && !one.is_possible_only) {
      verdict.decision = Decision::kDeny;
      name_rule(verdict, one);
      verdict.deny_reason = one.reason.empty()
                                ? fmt::format("the policy denies it ({}:{})", one.file, one.line)
                                : one.reason;
      return verdict;
    }
    if (one.decision == Decision::kAllow) continue;
    if (prompting == nullptr || (prompting->is_possible_only && !one.is_possible_only)) {
      prompting = &one;
    }
  }
  if (prompting == nullptr) return default_verdict(std::move(verdict), call, asked);
  verdict.decision = Decision::kPrompt;
  name_rule(verdict, *prompting);
  if (!prompting->reason.empty()) verdict.reasons.push_back(prompting->reason);
  if (prompting->is_possible_only) {
    verdict.reasons.push_back(
        fmt::format("what it names, or leaves out, may be what the rule at {}:{} asks for",
                    prompting->file, prompting->line));
  }
  return verdict;
}

Verdict Policy::default_verdict(Verdict verdict, const CallToDecide& call,
                                const Asked& asked) const {
  if (asked.risk.must_prompt) {
    verdict.decision = Decision::kPrompt;
    return verdict;
  }
  if (is_allowed(asked, verdict)) {
    verdict.decision = Decision::kAllow;
    return verdict;
  }
  const bool is_lesser = verdict.risk <= Risk::kMedium;
  if (!call.has_effects) {
    verdict.decision = Decision::kAllow;
    verdict.reasons.emplace_back("calls without effects are allowed");
  } else if (!human_in_the_loop_ && is_lesser) {
    verdict.decision = Decision::kAllow;
    verdict.reasons.emplace_back("human_in_the_loop is false, and the risk is not high");
  } else {
    verdict.decision = Decision::kPrompt;
    verdict.reasons.emplace_back("no rule allows it");
  }
  return verdict;
}

bool Policy::is_allowed(const Asked& asked, Verdict& verdict) const {
  const CallToDecide& call = asked.call;
  const auto decided_by = [&](const PolicyRule& rule) {
    name_rule(verdict, matched_rule(rule, false));
    return true;
  };
  const bool is_wide_enough = !call.args.contains("argv") || is_understood(asked.reading);
  for (const auto& rule : rules_) {
    if (rule->decision() != Decision::kAllow) continue;
    if (rule->has_argv() ? rule->names_exactly(call) : is_wide_enough && rule->is_at_home(call)) {
      return decided_by(*rule);
    }
  }
  if (asked.reading.commands.empty() || !asked.reading.doubts.empty()) return false;
  const PolicyRule* first = nullptr;
  for (const SeenCommand& command : asked.reading.commands) {
    if (command.is_transparent) continue;
    const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const auto& rule) {
      return rule->decision() == Decision::kAllow && rule->covers(call, command);
    });
    if (found == rules_.end() || !command.is_plain) return false;
    if (first == nullptr) first = found->get();
  }
  return first != nullptr && decided_by(*first);
}

std::vector<std::string> Policy::denied_tools() const {
  std::vector<std::string> globs;
  for (const auto& rule : rules_) {
    if (rule->decision() == Decision::kDeny && !rule->has_conditions()) {
      globs.push_back(rule->tool());
    }
  }
  return globs;
}

bool Policy::denies_tool(std::string_view tool) const {
  const std::vector<std::string> globs = denied_tools();
  return std::any_of(globs.begin(), globs.end(),
                     [tool](const std::string& glob) { return fits_text_glob(glob, tool, false); });
}

}  // namespace filecall::client
