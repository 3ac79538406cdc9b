// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/approval/core/argv_reading.h"
#include "client/approval/core/call.h"

namespace filecall::client {

/// How much harm a call can do, computed from what it says and never asked of a model.
struct RiskAssessment {
  Risk risk = Risk::kLow;
  std::vector<std::string> reasons = {};  ///< A sentence each, the worst first.
  /// A person decides, whatever a rule allows.
  bool must_prompt = false;

  /// Raises the risk, never lowers it.
  void raise(Risk to, std::string reason);
};

/// Axes: effect (read, write, execute, network, what cannot be taken back), target (normal,
/// protected, a secret, outside the root, VCS metadata), breadth (files, bytes, objects),
/// reversibility, where the arguments come from, and the severity of a preview by
/// kube.analyzeImpact. low: reads. medium: a write inside the root that can be taken back, a
/// program in a sandbox without network. high: network, a delete, git's writing verbs, a
/// path outside the working directory (of a file, or among a program's arguments), more than 20
/// files, what is not understood. critical: a protected path, a recursive delete above the root,
/// rewritten history, a delete of what a whole cluster shares, and any program that is not kept
/// from the root. Pure; any thread.
RiskAssessment assess_risk(const CallToDecide& call, const ArgvReading& reading);

/// The higher of both: an opinion (of a model, say) may only raise the risk.
Risk with_opinion(Risk computed, std::string_view opinion);

/// For tool.run: what its program and arguments add.
void assess_program(const CallToDecide& call, const ArgvReading& reading, RiskAssessment& out);

/// A path that must not be changed lightly: of version control, keys, settings of a shell, of CI or
/// of this program. What it is, or empty.
std::string protected_place(std::string_view path);
/// What lies in a configuration of this program, wherever that is: a person decides, whatever a
/// rule allows, or a model would write its own rules.
bool is_of_policy(std::string_view path);

}  // namespace filecall::client
