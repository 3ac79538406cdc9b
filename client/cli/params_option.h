// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/cli/options.h"
#include "ipc/json.h"

namespace filecall::client {

/// The object that --params states: as it stands, in a file ("@FILE") or on standard input ("-");
/// an empty one without the option. Failure: invalid_argument, the file's.
Result<Json> params_option(const Arguments& arguments);

}  // namespace filecall::client
