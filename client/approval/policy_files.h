// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/approval/core/policy.h"
#include "ipc/json.h"

namespace filecall::client {

/// Where policies lie, beside the scenario's own.
struct PolicyPlaces {
  std::string option = {};  ///< --policy FILE; must be there. Empty: not given.
  std::string configuration =
      {};                    ///< $XDG_CONFIG_HOME/filecall or ~/.config/filecall; may be empty.
  std::string project = {};  ///< The working directory, absolute; for stored rules.
};

/// $XDG_CONFIG_HOME/filecall, else $HOME/.config/filecall, of values of the environment; empty when
/// neither is an absolute path. Pure.
std::string configuration_folder(const char* xdg_config_home, const char* home);

/// --policy, policy.yaml, and the rules that approvals stored for the project (policy.d/). A file
/// that is not there is none, but --policy's; one that cannot be read is a failure. Blocking.
Result<std::vector<PolicyText>> read_policy_texts(const PolicyPlaces& places);

/// Adds rules to those of the project and returns the file's path. The file is replaced at once;
/// one process at a time does so. Failures: unavailable, another one has held policy.d.lock for
/// too long; failed_precondition, the configuration lies beneath the root or the project, where
/// tools could write to it.
Result<std::string> store_project_rules(const PolicyPlaces& places, const std::string& root,
                                        const std::vector<Json>& rules);

}  // namespace filecall::client
