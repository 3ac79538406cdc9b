// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/count_text.h"
#include "client/doctor/checks.h"
#include "client/engine/launch_check.h"
#include "client/engine/remembered_launch.h"
#include "client/engine/settings_look.h"
#include "client/engine/worker_process.h"
#include "ipc/json_member.h"

namespace filecall::client {
namespace {

/// Servers are asked all at once, each for as long as it may take to connect and to answer.
constexpr Duration kAnswerPatience = seconds(40);

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

/// What kube.exec may run in a context's containers: no problem, but to be known.
void add_exec(const Json& context, Findings& findings) {
  for (const Json& entry : list_of(context, "exec")) {
    if (!entry.is_object()) continue;
    findings.push_back(
        {Severity::kNote, "context",
         fmt::format("{}: kube.exec may run {} in namespaces {}", string_member(context, "name"),
                     dump_json(list_of(entry, "argv")), dump_json(list_of(entry, "namespaces"))),
         "kube.exec of the worker's configuration says so"});
  }
}

/// What requests may do with files, and what may surprise there.
void add_files(const Json& check, Findings& findings) {
  const auto files = check.find("files");
  if (files == check.end() || !files->is_object()) return;
  const Json roots = list_of(*files, "roots");
  if (roots.empty()) return;
  findings.push_back(
      {Severity::kGood, "files",
       fmt::format("may be read in {}; changed in {}; libgit2 {}", dump_json(roots),
                   dump_json(list_of(*files, "writable")), string_member(*files, "libgit2")),
       ""});
  for (const Json& note : list_of(*files, "notes")) {
    if (!note.is_string()) continue;
    findings.push_back({Severity::kNote, "files", note.get<std::string>(),
                        "file of the worker's configuration names these directories"});
  }
}

/// What `worker/launch.json` says cannot be used. Another user's is not ours to use.
void add_unusable_launch(const Error& why, Findings& findings) {
  const bool is_theirs = why.code == ErrorCode::kPermissionDenied;
  findings.push_back({is_theirs ? Severity::kNote : Severity::kProblem, "config", why.message,
                      "name the configuration with --worker-config FILE to check it"});
}

/// Of a worker that runs with other settings than a worker that is started from here would have:
/// what this environment's servers say is nothing of it. False: there is none such.
bool add_running_providers(const std::string& root, Findings& findings) {
  if (root.empty()) return false;
  const std::vector<WorkerProvider> providers = running_providers(root).providers;
  if (providers.empty() || has_settings_of_worker(root)) return false;
  std::vector<std::string> names;
  names.reserve(providers.size());
  for (const WorkerProvider& one : providers) {
    names.push_back(fmt::format("{} ({})", one.name, one.kind));
  }
  findings.push_back({Severity::kNote, "provider",
                      fmt::format("the worker that runs has {}; it was started with another "
                                  "environment than this one, so they were not asked",
                                  fmt::join(names, ", ")),
                      "'filecall call llm.models' asks them through the worker"});
  return true;
}

}  // namespace

void read_config_check(const Json& check, const std::string& config, Findings& findings,
                       bool is_remembered) {
  const bool is_configured = !config.empty();
  const auto valid = check.find("valid");
  const bool is_refused = valid != check.end() && *valid == false;
  const std::string whose = is_configured ? config : "the worker in this environment";
  for (const Json& problem : list_of(check, "problems")) {
    if (!problem.is_string()) continue;
    const auto text = problem.get<std::string>();
    findings.push_back({is_refused || is_configured ? Severity::kProblem : Severity::kNote,
                        "config",
                        fmt::format("{}{}: {}", whose, is_refused ? " is refused" : "", text),
                        is_refused ? "correct it; until then no worker starts with it, and one "
                                     "that runs keeps what it has read"
                                   : "correct the worker's configuration"});
  }
  if (is_refused) return;
  for (const Json& provider : list_of(check, "providers")) {
    const std::string url = string_member(provider, "base_url");
    const std::string what = fmt::format(
        "{}: {} ({}), {}", string_member(provider, "name"), string_member(provider, "kind"),
        string_member(provider, "profile"), url.empty() ? "searched on this machine" : url);
    const auto models = provider.find("models");
    const std::string found = models != provider.end() && models->is_number_integer()
                                  ? counted_noun(models->get<std::int64_t>(), "model")
                                  : std::string("unknown models");
    add_server("provider", what, string_member(provider, "problem"), found,
               is_configured && (!is_remembered || !url.empty()), findings);
  }
  for (const Json& context : list_of(check, "contexts")) {
    add_server("context", string_member(context, "name") + ": " + string_member(context, "server"),
               string_member(context, "problem"), "Kubernetes " + string_member(context, "version"),
               is_configured, findings);
    add_exec(context, findings);
  }
  add_files(check, findings);
  if (is_configured && valid != check.end() && *valid == true) {
    findings.push_back({Severity::kGood, "config", config + " is valid", ""});
  }
}

void check_config(const std::string& path, const std::string& root, Findings& findings) {
  const auto program = find_worker_program(std::getenv("FILECALL_WORKER"), std::getenv("PATH"));
  if (!program) return;  // The missing programs are reported already.
  WorkerCommand command;
  command.arguments = {*program};
  std::string config = path;
  if (!path.empty()) {
    command.arguments.insert(command.arguments.end(), {"--config", path});
  } else if (!root.empty()) {
    const auto launch = read_launch(root);
    const auto again = launch ? plan_start({.root = root}) : Unexpected(launch.error());
    if (!again) return add_unusable_launch(again.error(), findings);
    command = *again;
    if (*launch) config = (*launch)->config;
  }
  auto check = check_launch(command, kAnswerPatience);
  if (check && path.empty() && add_running_providers(root, findings)) check->erase("providers");
  if (check) return read_config_check(*check, config, findings, path.empty());
  findings.push_back({Severity::kProblem, "config", check.error().message,
                      fmt::format("run {} --check-config{}{}", *program,
                                  config.empty() ? "" : " --config ", config)});
}

void check_destinations(const WorkerStatus& status, Findings& findings) {
  for (const WorkerStatus::Destination& destination : status.destinations) {
    if (!destination.problem.empty()) {
      findings.push_back({Severity::kProblem, "destination",
                          fmt::format("{}: {}", destination.name, destination.problem),
                          "remove the cause; a request is let through from time to time"});
    } else if (destination.pause_ms > 0) {
      findings.push_back(
          {Severity::kNote, "destination",
           fmt::format("{} asked for a pause of {} ms; {} {}", destination.name,
                       destination.pause_ms, counted_noun(destination.waiting, "request"),
                       one_or_many(destination.waiting, "waits", "wait")),
           "it goes on by itself"});
    } else if (destination.window < destination.concurrency) {
      findings.push_back(
          {Severity::kNote, "destination",
           fmt::format("{} takes {} at once, {} are allowed", destination.name,
                       counted_noun(destination.window, "request"), destination.concurrency),
           "learned from its overload errors; it grows by itself"});
    }
  }
}

}  // namespace filecall::client
