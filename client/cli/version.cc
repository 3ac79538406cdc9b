// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "base/version.h"
#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"

namespace filecall::client {

int version_command(const Arguments& arguments) {
  if (arguments.has("json")) {
    print_json({{"name", "filecall"}, {"version", program_version()}});
  } else {
    print(fmt::format("filecall {}\n", program_version()));
  }
  return kExitSuccess;
}

}  // namespace filecall::client
