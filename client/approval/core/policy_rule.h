// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "client/approval/core/argv_pattern.h"
#include "client/approval/core/argv_reading.h"
#include "client/approval/core/call.h"
#include "client/approval/core/member_condition.h"
#include "yaml/yaml_section.h"

namespace filecall::client {

enum class Fit : std::uint8_t {
  kNone,
  kPossible,  ///< The call leaves out what the rule asks for; a default may be that.
  kYes,
};

/// A rule of a policy: which calls it is for, and what it says of them. Immutable; any thread.
class PolicyRule {
 public:
  /// Reads the mapping of one rule and tries its examples. What is wrong is a complaint of the
  /// section; nullopt then.
  static std::optional<PolicyRule> read(YamlSection& section, const std::string& file);

  Decision decision() const { return decision_; }
  const std::string& tool() const { return tool_; }
  const std::string& reason() const { return reason_; }
  const std::string& file() const { return file_; }
  int line() const { return line_; }
  const std::vector<MemberCondition>& conditions() const { return where_; }
  /// The rule in one line, without its examples.
  std::string text() const;
  Json json() const;

  /// `reading` is what read_argv() made of the call's argv.
  Fit fit(const CallToDecide& call, const ArgvReading& reading) const;
  /// For an allow rule with argv: whether it covers one command of the reading.
  bool covers(const CallToDecide& call, const SeenCommand& command) const;
  /// For an allow rule: everything but argv fits, and nothing that it does not name comes along.
  bool is_at_home(const CallToDecide& call) const;
  /// The very argv, each word of it: what else may be in doubt does not count then.
  bool names_exactly(const CallToDecide& call) const;

  /// A stored rule that names too few words: it allows its very argv, and nothing behind it.
  void narrow_to_exact() { is_exact_ = true; }
  bool has_argv() const { return argv_.has_value(); }
  bool has_conditions() const { return !where_.empty() || has_argv(); }
  bool is_expired(WallTime now) const { return expires_ && now >= *expires_; }

 private:
  PolicyRule() = default;
  // Each: false, and it is a complaint.
  bool read_argv_pattern(YamlSection& section);
  bool read_where(YamlSection& section);
  bool read_expiry(YamlSection& section);
  void read_examples(YamlSection& section);
  void check_example(YamlSection& section, std::string_view key, const Json& example,
                     bool is_match) const;
  bool names_member(std::string_view member) const;
  std::optional<CallToDecide> example_call(const Json& example) const;
  /// What matches is decided as decide() would with this rule alone.
  bool applies(const CallToDecide& call) const;

  std::string tool_;
  std::optional<ArgvPattern> argv_;
  bool is_exact_ = false;  ///< Of the argv: as many words.
  std::vector<MemberCondition> where_;
  Decision decision_ = Decision::kPrompt;
  std::string reason_;
  std::optional<WallTime> expires_;
  std::string file_;
  int line_ = 0;
  Json json_;
};

}  // namespace filecall::client
