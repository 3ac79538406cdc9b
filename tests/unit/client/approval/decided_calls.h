// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/check.h"
#include "client/approval/core/policy.h"

namespace filecall::client {

/// A program in a sandbox that hides the root, without network.
inline CallToDecide program_call(const std::vector<std::string>& argv) {
  CallToDecide call;
  call.tool = "tool.run";
  call.args = {{"argv", argv}};
  call.working_directory = "/work/shop";
  call.sandbox = {"workspace-write", true, false};
  return call;
}

inline CallToDecide call_of(const std::string& tool, Json args, bool has_effects = true) {
  CallToDecide call;
  call.tool = tool;
  call.args = std::move(args);
  call.has_effects = has_effects;
  call.working_directory = "/work/shop";
  return call;
}

/// Of rules in YAML, each a line "- {...}".
inline Policy policy_of(const std::string& rules, bool human = true) {
  const std::string text =
      "policy:\n  human_in_the_loop: " + std::string(human ? "true" : "false") + "\n  rules:\n" +
      rules;
  auto policy = Policy::read({{"policy.yaml", text}});
  CHECK(policy.has_value(), policy ? "" : policy.error().message.c_str());
  return *std::move(policy);
}

}  // namespace filecall::client
