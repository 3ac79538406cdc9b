// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_plugin.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/take_until.h"
#include "os/io.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kOutputBytesMax = 1024 * 1024;

Unexpected<Error> plugin_failed(const ExecEntry& exec, std::string_view reason) {
  return fail(ErrorCode::kUnauthenticated, fmt::format("exec plugin {}: {}", exec.command, reason));
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

Result<ChildSpec> make_spec(const PluginRules& rules, const ExecEntry& exec,
                            const std::string& info, const Environment& environment) {
  ChildSpec spec;
  TRY_ASSIGN(spec.program, find_plugin(exec, environment));
  spec.argv = {exec.command};
  spec.argv.insert(spec.argv.end(), exec.args.begin(), exec.args.end());
  for (const auto& [name, value] : plugin_environment(rules, exec, info, environment)) {
    spec.env.push_back(fmt::format("{}={}", name, value));
  }
  TRY_ASSIGN(spec.cwd, open_file(".", O_PATH | O_DIRECTORY));
  spec.output_bytes = kOutputBytesMax;
  return spec;
}

/// Ends in _API_KEY, in any case.
bool is_api_key_name(std::string_view name) {
  constexpr std::string_view kEnd = "_API_KEY";
  if (name.size() < kEnd.size()) return false;
  const std::string_view end = name.substr(name.size() - kEnd.size());
  return std::ranges::equal(end, kEnd, [](char a, char b) {
    return (a >= 'a' && a <= 'z' ? static_cast<char>(a - 'a' + 'A') : a) == b;
  });
}

}  // namespace

bool PluginRules::inherits(std::string_view variable) const {
  if (std::ranges::find(passed, variable) != passed.end()) return true;
  return std::ranges::find(withheld, variable) == withheld.end() && !is_api_key_name(variable);
}

Environment plugin_environment(const PluginRules& rules, const ExecEntry& exec,
                               const std::string& info, const Environment& environment) {
  Environment all;
  for (const auto& [name, value] : environment) {
    if (rules.inherits(name)) all[name] = value;
  }
  for (const auto& [name, value] : exec.env) all[name] = value;
  all["KUBERNETES_EXEC_INFO"] = info;
  return all;
}

Result<std::string> find_plugin(const ExecEntry& exec, const Environment& environment) {
  if (exec.command.find('/') != std::string::npos) {
    if (is_program(exec.command)) return exec.command;
  } else if (const auto path = environment.find("PATH"); path != environment.end()) {
    for (std::string_view rest = path->second; !rest.empty();) {
      const std::string_view directory = take_until(&rest, ':');
      std::string file = fmt::format("{}/{}", directory, exec.command);
      // Go looks into no relative directory either.
      if (directory.starts_with('/') && is_program(file)) return file;
    }
  }
  return plugin_failed(exec, exec.install_hint.empty()
                                 ? "executable not found"
                                 : "executable not found; " + exec.install_hint);
}

PluginRun::PluginRun(uv_loop_t* loop, const PluginRules& rules, const ExecEntry& exec, Done done)
    : exec_(exec), timeout_(rules.timeout), done_(std::move(done)), timer_(loop, [this] {
        is_late_ = true;
        child_->cancel();
      }) {
  timer_.start(rules.timeout);
}

Result<std::unique_ptr<PluginRun>> PluginRun::start(uv_loop_t* loop, const PluginRules& rules,
                                                    const ClusterAccess& access,
                                                    const std::string& authorities,
                                                    const Environment& environment, Done done) {
  const ExecEntry& exec = *access.user.exec;
  std::string guard = rules.guard;
  if (guard.empty()) {
    TRY_ASSIGN(guard, find_guard());
  }
  TRY_ASSIGN(ChildSpec spec, make_spec(rules, exec, exec_info(access, authorities), environment));
  log_info("context {}: running the credential plugin {}", access.context, spec.program);
  auto run = std::unique_ptr<PluginRun>(new PluginRun(loop, rules, exec, std::move(done)));
  // Plugins run seldom: a server for one run is no more work than a guard alone would be.
  TRY_ASSIGN(run->child_, Child::start(loop, std::make_shared<GuardServer>(guard), std::move(spec),
                                       [self = run.get()](const ChildResult& result) {
                                         auto credential = self->judge(result);
                                         // May destroy the run.
                                         std::exchange(self->done_, nullptr)(std::move(credential));
                                       }));
  return run;
}

Result<Credential> PluginRun::judge(const ChildResult& result) const {
  constexpr std::string_view kSilence =
      "; what it wrote to its standard error may hold credentials and is not shown: run it in a "
      "terminal to see it";
  if (is_late_) {
    const std::int64_t ms = to_ms(timeout_);
    const std::string limit =
        ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
    return plugin_failed(
        exec_, fmt::format("was ended, because it did not answer within {} (kube.plugin_timeout); "
                           "it may wait for somebody to log in, which it cannot here{}",
                           limit, kSilence));
  }
  if (result.error) return Unexpected(*result.error);
  if (result.signal)
    return plugin_failed(exec_, fmt::format("ended by signal {}{}", *result.signal, kSilence));
  if (result.exit_code != 0) {
    return plugin_failed(exec_,
                         fmt::format("failed with exit code {}{}", *result.exit_code, kSilence));
  }
  const CapturedOutput& output = child_->standard_output();
  if (output.is_truncated()) return plugin_failed(exec_, "printed more than 1 MiB");
  return parse_exec_credential(output.render(), exec_.api_version);
}

}  // namespace filecall::worker::kube
