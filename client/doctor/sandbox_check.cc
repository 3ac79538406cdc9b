// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

#include "base/take_until.h"
#include "client/doctor/checks.h"
#include "client/engine/worker_process.h"
#include "os/control_group.h"
#include "os/program_output.h"

namespace filecall::client {
namespace {

constexpr Duration kPatience = seconds(20);

}  // namespace

std::string find_guard_program() {
  const auto program = find_worker_program(std::getenv("FILECALL_WORKER"), std::getenv("PATH"));
  if (!program) return "";
  const std::string folder = program->substr(0, program->rfind('/'));
  for (const std::string& guard :
       {folder + "/filecall-guard", folder + "/../libexec/filecall/filecall-guard"}) {
    if (::access(guard.c_str(), X_OK) == 0) return guard;
  }
  return "";
}

void read_sandbox_probe(std::string_view output, Findings& findings) {
  std::string given;
  while (!output.empty()) {
    std::string_view line = take_until(&output, '\n');
    const std::string_view name = take_until(&line, '\t');
    const std::string_view result = take_until(&line, '\t');
    if (result == "ok") {
      given += fmt::format("{}{}", given.empty() ? "" : ", ", name);
    } else if (!name.empty()) {
      findings.push_back({Severity::kNote, "sandbox",
                          fmt::format("this machine lacks {}: {}", name, result),
                          std::string(line)});
    }
  }
  if (given.empty()) return;
  findings.push_back(
      {Severity::kGood, "sandbox", fmt::format("tools can be confined by {}", given), ""});
}

void check_sandbox(Findings& findings) {
  const std::string guard = find_guard_program();
  if (guard.empty()) return;  // The missing programs are reported already.
  const auto output = program_output({guard, "--probe"}, kPatience);
  if (!output) {
    findings.push_back({Severity::kProblem, "sandbox", output.error().message,
                        "install worker and guard of one version"});
    return;
  }
  read_sandbox_probe(*output, findings);
  findings.push_back(
      {Severity::kGood, "sandbox",
       "without one the worker ends what a tool leaves, also when the tool has ended "
       "its guard; only a sandbox ends a tool that ends the worker as well",
       ""});
  const auto group = find_delegated_group();
  findings.push_back({Severity::kGood, "sandbox",
                      group ? fmt::format("each tool of a worker that is started from here has a "
                                          "control group of its own in {}",
                                          *group)
                            : fmt::format("tools of a worker that is started from here have no "
                                          "control group of their own: {}",
                                          group.error().message),
                      ""});
}

}  // namespace filecall::client
