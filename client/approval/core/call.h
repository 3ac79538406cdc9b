// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "ipc/effects.h"
#include "ipc/json.h"

/// What a policy decides on, and what it says. Plain values; any thread.
namespace filecall::client {

/// How the worker confines the programs that it runs for tool.run.
struct SandboxFacts {
  /// As the configuration names it: none, read-only, workspace-write. "unknown": nobody says.
  std::string level = "none";
  /// A program in it cannot see the root, so that it can neither write a decision nor read the key
  /// that signs one.
  bool hides_root = false;
  bool has_network = true;
  /// Where it lets programs work; the first when a call does not say it. Empty: nobody says.
  std::vector<std::string> roots = {};
};
/// As an approval shows them.
Json sandbox_json(const SandboxFacts& sandbox);

/// One call that a plan asks for, before it becomes a request, with what the plan does not say: the
/// catalog's word, the sandbox, and where the arguments come from.
struct CallToDecide {
  std::string tool;  ///< A command of the catalog, such as kube.patchResource.
  Json args = Json::object();
  /// By the catalog. A tool that the catalog does not list counts as one with effects.
  bool has_effects = true;
  std::string catalog_risk = {};  ///< low, medium, high or critical; empty: not listed.
  std::string least_risk = {};    ///< As it was shown before; empty: it was not.
  /// Where tool.run and file.* work when the call does not say it; absolute, or empty: not known.
  std::string working_directory = {};
  /// The directory that rules are stored for, where that is another: of the repository whose
  /// worktree it works in.
  std::string project = {};
  /// Where paths in `args` lead through links: as they stand there → absolute. Others lead where
  /// their letters say.
  std::map<std::string, std::string> led_paths = {};
  /// Files that say what is asked: the policies and the scenario of the run; absolute.
  std::vector<std::string> own_files = {};
  /// Where programs of tool.run work when they do not say it; empty: as above.
  std::string tool_directory = {};
  SandboxFacts sandbox = {};
  std::string scenario = {};
  std::string thread = {};
  std::string run = {};
  /// A text of `args` occurs in a result that came from outside (a file, a log, an object).
  bool args_from_outside = false;
  /// Data of kube.diffResource or file.propose for this call.
  std::optional<Json> preview = std::nullopt;
  /// Data of kube.analyzeImpact for an object that goes; or why it is not known what depends on it.
  std::optional<Json> impact = std::nullopt;
  std::string impact_error = {};
  /// For rules with `expires`.
  WallTime now = {};
};

/// The words of `argv`; empty when there is none. What is no text becomes one.
std::vector<std::string> argv_of(const Json& args);

enum class Decision : std::uint8_t { kAllow, kPrompt, kDeny };

std::string_view to_string(Decision decision);
std::optional<Decision> parse_decision(std::string_view name);

/// A rule that matched, and where it stands.
struct MatchedRule {
  Decision decision = Decision::kPrompt;
  std::string text;  ///< The rule in one line.
  std::string file;
  int line = 0;  ///< From 1.
  std::string reason;
  /// It may match: the call leaves out what the rule asks for (a context), and the cluster's
  /// default may be that.
  bool is_possible_only = false;
};

/// What the policy says of a call, and why.
struct Verdict {
  Decision decision = Decision::kPrompt;
  Risk risk = Risk::kHigh;
  std::vector<std::string> reasons;  ///< Of the risk and of the decision, a sentence each.
  std::string rule;                  ///< The rule that decides; empty: none, a default does.
  std::string file;                  ///< Where it stands.
  int line = 0;
  std::string deny_reason;           ///< For the model and the person, when denied.
  std::vector<MatchedRule> matched;  ///< All rules that match, in the order of the policy.
};

}  // namespace filecall::client
