// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cstdlib>

#include "base/take_until.h"
#include "client/doctor/checks.h"
#include "client/engine/worker_process.h"
#include "os/program_output.h"

namespace filecall::client {
namespace {

/// Servers are asked all at once, each for as long as it may take to connect and to answer.
constexpr Duration kAnswerPatience = seconds(40);

}  // namespace

void read_config_check(std::string_view output, bool is_configured, Findings& findings) {
  while (!output.empty()) {
    const std::string_view line = take_until(&output, '\n');
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    const std::string subject(line.substr(0, space));
    const std::string text(line.substr(space + 1));
    if (line.find(": answers") != std::string_view::npos) {
      findings.push_back({Severity::kGood, subject, text, ""});
    } else if (line.find(": does not answer: ") != std::string_view::npos) {
      findings.push_back({is_configured ? Severity::kProblem : Severity::kNote, subject, text,
                          is_configured
                              ? "start it, or correct its entry in the worker's configuration"
                              : "only its commands need it; --worker-config FILE names others"});
    }
  }
}

void check_config(const std::string& path, Findings& findings) {
  const auto program = find_worker_program(std::getenv("FILECALL_WORKER"), std::getenv("PATH"));
  if (!program) return;  // The programs are told already.
  std::vector<std::string> argv = {*program, "--check-config"};
  if (!path.empty()) argv.insert(argv.end(), {"--config", path});
  const auto output = program_output(argv, kAnswerPatience, Environment::kInherited);
  if (output) return read_config_check(*output, !path.empty(), findings);
  findings.push_back(
      {Severity::kProblem, "config",
       path.empty() ? "the worker refuses to start in this environment" : path + " is refused",
       fmt::format("run {} --check-config{}{}", *program, path.empty() ? "" : " --config ", path)});
}

void check_destinations(const WorkerStatus& status, Findings& findings) {
  for (const WorkerStatus::Destination& destination : status.destinations) {
    if (!destination.problem.empty()) {
      findings.push_back({Severity::kProblem, "destination",
                          fmt::format("{}: {}", destination.name, destination.problem),
                          "remove the cause; a request is let through from time to time"});
    } else if (destination.pause_ms > 0) {
      findings.push_back({Severity::kNote, "destination",
                          fmt::format("{} asked for a pause of {} ms; {} requests wait",
                                      destination.name, destination.pause_ms, destination.waiting),
                          "it goes on by itself"});
    } else if (destination.window < destination.concurrency) {
      findings.push_back(
          {Severity::kNote, "destination",
           fmt::format("{} takes {} requests at once, {} are allowed", destination.name,
                       destination.window, destination.concurrency),
           "learned from its overload answers; it grows by itself"});
    }
  }
}

}  // namespace filecall::client
