// SPDX-License-Identifier: MIT
//
// filecall-guard: stands between the worker and its tools. `--serve=PID` hands out guards to the
// worker PID, one for each tool (serve.h, guarded_run.h); `--probe` tells what this machine can
// give to a sandbox.

#include <stdio.h>
#include <stdlib.h>

#include <string_view>

#include "worker/proc/guard/probe.h"
#include "worker/proc/guard/serve.h"

int main(int argc, char** argv) {
  using namespace filecall::worker::guard;
  constexpr std::string_view kServe = "--serve=";
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (word == "--probe") return print_probe();
  if (word.substr(0, kServe.size()) == kServe) {
    return serve_jobs(static_cast<pid_t>(::atol(argv[1] + kServe.size())));
  }
  ::dprintf(2, "filecall-guard: the worker starts this program, not you\n");
  return 2;
}
