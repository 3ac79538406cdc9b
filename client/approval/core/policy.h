// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/approval/core/call.h"
#include "client/approval/core/policy_rule.h"

namespace filecall::client {

/// A YAML text that holds a policy, and where it stands.
struct PolicyText {
  std::string file;  ///< For messages and for `policy explain`.
  std::string text;
  enum class Kind : std::uint8_t {
    kPolicy,    ///< A file with the key `policy` and nothing else.
    kScenario,  ///< A whole scenario; only its key `policy` is read, so that lines are right.
    /// Rules that approvals stored: `rules` alone, each of them allow. They are no part of the
    /// digest, since what only allows more makes no waiting approval wrong.
    kStored,
  };
  Kind kind = Kind::kPolicy;
};

/// All rules that hold for a run. Rules are tried in the order deny, prompt, allow, wherever they
/// stand: the strictest that matches wins. Without one a call without effects is allowed and all
/// others prompt. Immutable and pure; any thread; copies share the rules.
class Policy {
 public:
  /// Without any rule, with a human in the loop.
  Policy();
  /// Failure: invalid_argument with all complaints, each with file, line and column: not YAML, an
  /// unknown key, an example under `match` that the rule does not match, one under `not_match` that
  /// it does, an allow rule for a program that runs whatever it is given.
  static Result<Policy> read(const std::vector<PolicyText>& texts);
  /// This policy and one more text, such as the rules that approvals stored for a thread. The
  /// digest stays when the text is of the kind kStored.
  Result<Policy> with(const PolicyText& text) const;

  Verdict decide(const CallToDecide& call) const;

  /// "sha256:..." of what decides, without comments and layout.
  const std::string& digest() const { return digest_; }
  bool human_in_the_loop() const { return human_in_the_loop_; }
  /// Globs of tools that are denied whatever their arguments are: a model need not see them.
  std::vector<std::string> denied_tools() const;
  /// Whether one of these fits.
  bool denies_tool(std::string_view tool) const;
  std::size_t rule_count() const { return rules_.size(); }
  const std::vector<std::shared_ptr<const PolicyRule>>& rules() const { return rules_; }

 private:
  struct Asked;

  Result<void> add(const PolicyText& text);
  void seal();
  Verdict default_verdict(Verdict verdict, const CallToDecide& call, const Asked& asked) const;
  bool is_allowed(const Asked& asked, Verdict& verdict) const;

  std::vector<std::shared_ptr<const PolicyRule>> rules_;
  bool human_in_the_loop_ = true;
  bool states_human_ = false;
  Json digested_ = Json::array();
  std::string digest_;
};

}  // namespace filecall::client
