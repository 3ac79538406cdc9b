// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/time.h"

namespace filecall::worker::kube {

/// How credential plugins are run.
struct PluginRules {
  std::string guard;               ///< filecall-guard; empty: find_guard().
  Duration timeout = seconds(30);  ///< Then it is ended with all that it started.
};

}  // namespace filecall::worker::kube
