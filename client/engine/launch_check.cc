// SPDX-License-Identifier: MIT
#include "client/engine/launch_check.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "os/program_output.h"

namespace filecall::client {
namespace {

/// A refusal comes at once; servers may take longer, and do not matter here.
constexpr Duration kRefusalPatience = seconds(10);

}  // namespace

Result<Json> check_launch(const WorkerCommand& command, Duration patience) {
  std::vector<std::string> argv = command.arguments;
  argv.insert(argv.end(), {"--check-config", "--json"});
  TRY_ASSIGN(const ProgramEnd end,
             call_program({argv, patience, Environment::kInherited, command.directory, true}));
  Json check = Json::parse(end.output, nullptr, false);
  if (check.is_object()) return check;
  return fail(ErrorCode::kInternal, fmt::format("{}: exited with {}; run it to see why",
                                                fmt::join(argv, " "), end.exit_code));
}

Result<void> check_start(const WorkerStart& start) {
  TRY_ASSIGN(const WorkerCommand command, plan_start(start));
  const auto check = check_launch(command, kRefusalPatience);
  // It still asks servers, so it has accepted the configuration.
  if (!check && check.error().code == ErrorCode::kDeadlineExceeded) return {};
  if (!check) return Unexpected(check.error());
  const auto valid = check->find("valid");
  if (valid == check->end() || *valid != false) return {};
  std::string reasons;
  const auto problems = check->find("problems");
  if (problems != check->end() && problems->is_array()) {
    for (const Json& problem : *problems) {
      if (problem.is_string()) reasons += "; " + problem.get<std::string>();
    }
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: the worker would refuse to start{}", start.root, reasons));
}

}  // namespace filecall::client
