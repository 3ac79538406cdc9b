// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cstdlib>

#include "client/doctor/checks.h"
#include "client/engine/worker_process.h"
#include "os/program_output.h"

namespace filecall::client {
namespace {

/// Servers are asked all at once, each for as long as it may take to connect and to answer.
constexpr Duration kAnswerPatience = seconds(40);

/// Empty unless it is a string.
std::string text_of(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

Json list_of(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_array() ? *member : Json::array();
}

void add_server(const char* subject, const std::string& what, const std::string& problem,
                const std::string& found, bool is_configured, Findings& findings) {
  if (problem.empty()) {
    findings.push_back({Severity::kGood, subject, what + ": answers, " + found, ""});
    return;
  }
  findings.push_back({is_configured ? Severity::kProblem : Severity::kNote, subject,
                      what + ": does not answer: " + problem,
                      is_configured
                          ? "start it, or correct its entry in the worker's configuration"
                          : "only its commands need it; --worker-config FILE names others"});
}

}  // namespace

void read_config_check(const Json& check, bool is_configured, Findings& findings) {
  for (const Json& provider : list_of(check, "providers")) {
    const std::string url = text_of(provider, "base_url");
    const std::string what =
        fmt::format("{}: {} ({}), {}", text_of(provider, "name"), text_of(provider, "kind"),
                    text_of(provider, "profile"), url.empty() ? "searched on this machine" : url);
    const auto models = provider.find("models");
    const std::string found = fmt::format(
        "{} models", models != provider.end() ? dump_json(*models) : std::string("unknown"));
    add_server("provider", what, text_of(provider, "problem"), found, is_configured, findings);
  }
  for (const Json& context : list_of(check, "contexts")) {
    add_server("context", text_of(context, "name") + ": " + text_of(context, "server"),
               text_of(context, "problem"), "Kubernetes " + text_of(context, "version"),
               is_configured, findings);
  }
}

void check_config(const std::string& path, Findings& findings) {
  const auto program = find_worker_program(std::getenv("FILECALL_WORKER"), std::getenv("PATH"));
  if (!program) return;  // The missing programs are reported already.
  std::vector<std::string> argv = {*program, "--check-config", "--json"};
  if (!path.empty()) argv.insert(argv.end(), {"--config", path});
  const auto output = program_output(argv, kAnswerPatience, Environment::kInherited);
  const Json check = output ? Json::parse(*output, nullptr, false) : Json();
  if (check.is_object()) return read_config_check(check, !path.empty(), findings);
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
           "learned from its overload errors; it grows by itself"});
    }
  }
}

}  // namespace filecall::client
