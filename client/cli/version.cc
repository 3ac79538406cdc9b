// SPDX-License-Identifier: MIT
#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"

namespace filecall::client {

int version_command(const Arguments& arguments) {
  if (arguments.has("json")) {
    print_json({{"name", "filecall"}, {"version", FILECALL_VERSION}});
  } else {
    print("filecall " FILECALL_VERSION "\n");
  }
  return kExitSuccess;
}

}  // namespace filecall::client
