// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "client/cli/options.h"
#include "ipc/json.h"

namespace filecall::client {

/// The object that an option states: as it stands, in a file ("@FILE") or on standard input ("-");
/// an empty one without the option. Failure: invalid_argument, the file's.
Result<Json> object_option(const Arguments& arguments, std::string_view option);
/// That of --params.
Result<Json> params_option(const Arguments& arguments);

}  // namespace filecall::client
