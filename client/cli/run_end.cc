// SPDX-License-Identifier: MIT
#include "client/cli/run_end.h"

#include <fmt/core.h>

#include "client/cli/exit_code.h"
#include "client/cli/output.h"

namespace filecall::client {

int explain_end(RunEnd end, const std::string& root, const std::string& again) {
  switch (end) {
    case RunEnd::kDone:
      return kExitSuccess;
    case RunEnd::kInterrupted:
      print_error(fmt::format("interrupted; everything is kept in {}. To go on: {}", root, again));
      return kExitInterrupted;
    case RunEnd::kLimit:
      print_error(fmt::format("everything is kept in {}. Change what stopped it, and go on: {}",
                              root, again));
      return kExitLimit;
    case RunEnd::kNoWorker:
      print_error(
          fmt::format("{}: no worker runs; start one with 'filecall worker start --root {}' "
                      "or look at 'filecall doctor', then go on: {}",
                      root, root, again));
      return kExitNoWorker;
  }
  return kExitGaveUp;
}

}  // namespace filecall::client
