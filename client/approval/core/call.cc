// SPDX-License-Identifier: MIT
#include "client/approval/core/call.h"

namespace filecall::client {

Json sandbox_json(const SandboxFacts& sandbox) {
  return {{"level", sandbox.level},
          {"hidesRoot", sandbox.hides_root},
          {"hasNetwork", sandbox.has_network},
          {"roots", sandbox.roots}};
}

std::vector<std::string> argv_of(const Json& args) {
  std::vector<std::string> argv;
  if (!args.is_object()) return argv;
  const auto found = args.find("argv");
  if (found == args.end() || !found->is_array()) return argv;
  for (const Json& word : *found) {
    argv.push_back(word.is_string() ? word.get<std::string>() : dump_json(word));
  }
  return argv;
}

std::string_view to_string(Decision decision) {
  switch (decision) {
    case Decision::kAllow:
      return "allow";
    case Decision::kPrompt:
      return "prompt";
    default:
      return "deny";
  }
}

std::optional<Decision> parse_decision(std::string_view name) {
  for (const Decision decision : {Decision::kAllow, Decision::kPrompt, Decision::kDeny}) {
    if (to_string(decision) == name) return decision;
  }
  return std::nullopt;
}

}  // namespace filecall::client
