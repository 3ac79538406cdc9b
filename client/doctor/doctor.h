// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/doctor/finding.h"

namespace filecall::client {

struct DoctorOptions {
  std::string root;
  bool allow_shared_root = false;
  std::string worker_config = {};  ///< What a worker would be started with; empty: nothing.
};

/// Looks at everything a working root depends on. Changes nothing but a probe file of its own in
/// client/, which is removed. Takes a few seconds (events are awaited for one), longer when a
/// server that the worker's configuration names does not answer.
Findings examine(const DoctorOptions& options);

}  // namespace filecall::client
