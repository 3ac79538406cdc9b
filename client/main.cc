// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include "client/cli/program.h"
#include "os/process.h"

int main(int argc, char** argv) {
  filecall::forbid_core_dumps();
  const std::vector<std::string> words(argv + 1, argv + (argc > 0 ? argc : 1));
  return filecall::client::run_program(words);
}
