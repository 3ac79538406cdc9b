// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/doctor/finding.h"

namespace filecall::client {

struct DoctorOptions {
  std::string root;
  bool allow_shared_root = false;
};

/// Looks at everything a working root depends on. Changes nothing but a probe file of its own in
/// client/, which is removed. Takes at most a few seconds (events are awaited for one).
Findings examine(const DoctorOptions& options);

}  // namespace filecall::client
