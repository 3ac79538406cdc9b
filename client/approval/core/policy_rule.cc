// SPDX-License-Identifier: MIT
#include "client/approval/core/policy_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/approval/core/text_glob.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

/// What comes along with a program: an allow rule says nothing of them unless it names them.
constexpr std::string_view kCompanions[] = {"env", "stdin", "stdin_base64", "cwd"};

constexpr std::string_view kKeys[] = {"tool",   "argv",    "exact", "where",    "decision",
                                      "reason", "expires", "match", "not_match"};

/// Why a word of an argv is none as its author means it; empty: it may be one.
std::string_view odd_word(const std::string& word, bool is_first, bool allows) {
  if (is_first && word.find(' ') != std::string::npos) {
    return "has a space; write each word of the command as an item of the list";
  }
  if (allows) return {};
  if (word.empty()) return "is empty; leave it out";
  if (word.find('*') == std::string::npos) return {};
  return "has a wildcard, and an argv knows none; leave the word out, or list its values";
}

/// What such words are in a pattern: the rule would decide on nothing.
std::string odd_words(const Json& argv, bool allows) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const Json words = argv[i].is_array() ? argv[i] : Json::array({argv[i]});
    for (const Json& word : words) {
      if (!word.is_string()) continue;
      const std::string& text = word.get_ref<const std::string&>();
      const std::string_view why = odd_word(text, i == 0, allows);
      if (!why.empty()) return fmt::format("the word '{}' {}", text, why);
    }
  }
  return {};
}

/// A glob of paths in the language of a shell: here it would fit no path that is meant.
std::string odd_glob(const MemberCondition& condition, const Json& wanted) {
  if (!is_place_member(condition.member()) && !is_place_member(condition.tokens().back()))
    return {};
  const Json globs = wanted.is_array() ? wanted : Json::array({wanted});
  for (const Json& glob : globs) {
    if (!glob.is_string()) continue;
    const std::string& text = glob.get_ref<const std::string&>();
    if (text.find_first_of("{}[]") == std::string::npos) continue;
    return fmt::format("{}: '{}': a glob has *, ** and ? alone; write a list of globs",
                       condition.pointer(), text);
  }
  return {};
}

}  // namespace

std::optional<PolicyRule> PolicyRule::read(YamlSection& section, const std::string& file) {
  PolicyRule rule;
  // All of them are known, also when the rule is refused for one of them.
  for (const std::string_view key : kKeys) section.has(key);
  rule.file_ = file;
  rule.line_ = section.line();
  section.read("tool", rule.tool_);
  if (rule.tool_.empty()) {
    section.complain("tool", "a rule needs the name of a tool, or a glob such as kube.*");
    return std::nullopt;
  }
  if (const auto name = section.read_choice("decision", {"allow", "prompt", "deny"})) {
    rule.decision_ = *parse_decision(*name);
  } else if (!section.has("decision")) {
    section.complain("decision", "missing; allow, prompt or deny");
    return std::nullopt;
  } else {
    return std::nullopt;
  }
  section.read("reason", rule.reason_);
  if (!rule.read_argv_pattern(section) || !rule.read_where(section) || !rule.read_expiry(section)) {
    return std::nullopt;
  }
  rule.json_["tool"] = rule.tool_;
  rule.json_["decision"] = to_string(rule.decision_);
  rule.read_examples(section);
  return rule;
}

bool PolicyRule::read_argv_pattern(YamlSection& section) {
  const Json argv = section.read_json("argv");
  section.read("exact", is_exact_);
  if (is_exact_ && (argv.is_null() || decision_ != Decision::kAllow)) {
    section.complain("exact", "only a rule that allows an argv may be exact");
    return false;
  }
  if (argv.is_null()) return true;
  argv_ = ArgvPattern::of(argv);
  if (!argv_) {
    section.complain("argv", "must be a list of words, each a text or a list of alternatives");
    return false;
  }
  if (const std::string why =
          is_exact_ ? std::string() : odd_words(argv, decision_ == Decision::kAllow);
      !why.empty()) {
    section.complain("argv", why);
    return false;
  }
  json_["argv"] = argv;
  if (is_exact_) json_["exact"] = true;
  if (!fits_text_glob(tool_, "tool.run", false) && !fits_text_glob(tool_, "kube.exec", false)) {
    section.complain("argv",
                     fmt::format("{} has no argv; only tool.run and kube.exec have one", tool_));
    return false;
  }
  if (const std::string why = argv_->too_wide(); decision_ == Decision::kAllow && !why.empty()) {
    section.complain("argv", why + "; name the command as far as it is to be allowed");
    return false;
  }
  return true;
}

bool PolicyRule::read_where(YamlSection& section) {
  if (const Json where = section.read_json("where"); !where.is_null()) {
    if (!where.is_object()) {
      section.complain("where", "must be a mapping from JSON pointers to values");
      return false;
    }
    for (const auto& [pointer, wanted] : where.items()) {
      auto condition = MemberCondition::of(pointer, wanted);
      if (!condition) {
        section.complain("where", condition.error().message);
        return false;
      }
      if (decision_ == Decision::kAllow && !argv_ && condition->member() == "argv") {
        section.complain("where", fmt::format("{} says nothing of what the argv does, and allows "
                                              "nothing; write argv: [PROGRAM, WORD] instead",
                                              pointer));
        return false;
      }
      const bool allows = decision_ == Decision::kAllow;
      if (const std::string why = allows ? "" : odd_glob(*condition, wanted); !why.empty()) {
        section.complain("where", why);
        return false;
      }
      where_.push_back(*std::move(condition));
    }
    json_["where"] = where;
  }
  return true;
}

bool PolicyRule::read_expiry(YamlSection& section) {
  std::string expires;
  section.read("expires", expires);
  if (!expires.empty()) {
    expires_ = parse_rfc3339(expires);
    if (!expires_) {
      section.complain("expires", "must be a time such as 2027-01-31T00:00:00Z");
      return false;
    }
    if (decision_ != Decision::kAllow) {
      section.complain("expires", "only a rule that allows may expire");
      return false;
    }
    json_["expires"] = expires;
  }
  return true;
}

std::string PolicyRule::text() const {
  std::string out = fmt::format("{} {}", to_string(decision_), tool_);
  if (json_.contains("argv")) out += " argv " + dump_json(json_["argv"]);
  if (is_exact_) out += " exactly";
  if (json_.contains("where")) out += " where " + dump_json(json_["where"]);
  if (json_.contains("expires")) out += " until " + json_["expires"].get<std::string>();
  return out;
}

Json PolicyRule::json() const { return json_; }

bool PolicyRule::names_member(std::string_view member) const {
  return std::any_of(where_.begin(), where_.end(), [member](const MemberCondition& condition) {
    return condition.member() == member;
  });
}

bool PolicyRule::is_at_home(const CallToDecide& call) const {
  if (!fits_text_glob(tool_, call.tool, false) || is_expired(call.now)) return false;
  for (const MemberCondition& condition : where_) {
    if (condition.ask(call, Leaning::kCover) != MemberCondition::Answer::kYes) return false;
  }
  if (call.tool != "tool.run" && call.tool != "kube.exec") return true;
  for (const std::string_view member : kCompanions) {
    const auto found = call.args.find(member);
    if (found == call.args.end() || names_member(member)) continue;
    if (member == "cwd" && found->is_string() && !call.working_directory.empty() &&
        absolute_path(call.working_directory, found->get<std::string>()) ==
            plain_path(call.working_directory)) {
      continue;
    }
    return false;
  }
  return true;
}

bool PolicyRule::covers(const CallToDecide& call, const SeenCommand& command) const {
  return argv_ && !is_exact_ && is_at_home(call) && argv_->covers(command);
}

bool PolicyRule::names_exactly(const CallToDecide& call) const {
  const std::vector<std::string> argv = argv_of(call.args);
  return argv_ && !argv.empty() && is_at_home(call) && argv_->is_exactly(argv);
}

Fit PolicyRule::fit(const CallToDecide& call, const ArgvReading& reading) const {
  if (decision_ == Decision::kAllow) {
    if (!is_at_home(call)) return Fit::kNone;
    if (!argv_ || names_exactly(call)) return Fit::kYes;
    if (is_exact_) return Fit::kNone;
    return std::any_of(reading.commands.begin(), reading.commands.end(),
                       [this](const SeenCommand& command) {
                         return !command.is_guess && argv_->covers(command);
                       })
               ? Fit::kYes
               : Fit::kNone;
  }
  if (!fits_text_glob(tool_, call.tool, false)) return Fit::kNone;
  Fit fit = Fit::kYes;
  for (const MemberCondition& condition : where_) {
    const auto answer = condition.ask(call, Leaning::kCatch);
    if (answer == MemberCondition::Answer::kNone) return Fit::kNone;
    if (answer == MemberCondition::Answer::kAbsent) fit = Fit::kPossible;
  }
  if (argv_ && std::none_of(reading.commands.begin(), reading.commands.end(),
                            [this](const SeenCommand& one) { return argv_->catches(one); })) {
    return Fit::kNone;
  }
  return fit;
}

bool PolicyRule::applies(const CallToDecide& call) const {
  const ArgvReading reading = read_argv(argv_of(call.args));
  if (fit(call, reading) != Fit::kYes) return false;
  if (decision_ != Decision::kAllow || names_exactly(call)) return true;
  if (is_exact_) return false;
  if (!argv_) return !call.args.contains("argv") || is_understood(reading);
  return reading.doubts.empty() && std::all_of(reading.commands.begin(), reading.commands.end(),
                                               [this](const SeenCommand& command) {
                                                 return command.is_transparent ||
                                                        argv_->covers(command);
                                               });
}

std::optional<CallToDecide> PolicyRule::example_call(const Json& example) const {
  CallToDecide call;
  call.tool = tool_.find_first_of("*?") == std::string::npos ? tool_ : "tool.run";
  if (example.is_array()) {
    call.args["argv"] = Json::array();
    for (const Json& word : example) {
      if (!word.is_primitive()) return std::nullopt;
      call.args["argv"].push_back(word.is_string() ? word : Json(word.dump()));
    }
  } else if (example.is_object() && example.contains("tool") && example["tool"].is_string()) {
    call.tool = example["tool"].get<std::string>();
    call.args = example.value("params", Json::object());
  } else if (example.is_object()) {
    call.args = example;
  } else if (example.is_string()) {
    call.tool = example.get<std::string>();
  } else {
    return std::nullopt;
  }
  return call;
}

void PolicyRule::read_examples(YamlSection& section) {
  for (const std::string_view key : {"match", "not_match"}) {
    const Json examples = section.read_json(key);
    if (examples.is_null()) continue;
    if (!examples.is_array()) {
      section.complain(key, "must be a list of examples");
      continue;
    }
    for (const Json& example : examples) check_example(section, key, example, key == "match");
  }
}

void PolicyRule::check_example(YamlSection& section, std::string_view key, const Json& example,
                               bool is_match) const {
  const auto call = example_call(example);
  if (!call) {
    section.complain(key, fmt::format("{} is no example; write an argv as a list, params as a "
                                      "mapping, {{tool, params}}, or the name of a tool",
                                      excerpt(dump_json(example))));
    return;
  }
  if (applies(*call) == is_match) return;
  section.complain(
      key, fmt::format("the rule {} {}, and the example says that it {}",
                       is_match ? "does not match" : "matches", excerpt(dump_json(example), 120),
                       is_match ? "does" : "does not"));
}

}  // namespace filecall::client
