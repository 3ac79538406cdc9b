// SPDX-License-Identifier: MIT
// filecall-worker: composition only.
#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/result.h"
#include "base/version.h"
#include "ipc/limits.h"
#include "loop/event_loop.h"
#include "os/control_group.h"
#include "os/log_sink.h"
#include "os/process.h"
#include "spool/layout.h"
#include "worker/config_check.h"
#include "worker/exec/git/repository_check.h"
#include "worker/exec/registry/registry.h"
#include "worker/exec/tool/tool_caution.h"
#include "worker/exec/tool/tool_places.h"
#include "worker/exec/tool/tool_sandbox.h"
#include "worker/file_check.h"
#include "worker/file_setup.h"
#include "worker/kube_setup.h"
#include "worker/llm_setup.h"
#include "worker/options.h"
#include "worker/worker.h"

namespace {

using filecall::ErrorCode;
using filecall::worker::Options;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitUnprotected = 69;  // EX_UNAVAILABLE of sysexits.h: something is not there.
constexpr int kExitUnwritten = 74;    // EX_IOERR of sysexits.h.
constexpr int kExitBusy = 75;         // EX_TEMPFAIL of sysexits.h: try again later.

std::string current_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) == nullptr ? "/" : path;
}

int exit_code(ErrorCode code) {
  if (code == ErrorCode::kUnavailable) return kExitBusy;
  if (code == ErrorCode::kInvalidArgument) return kExitUsage;
  return code == ErrorCode::kUnimplemented ? kExitUnprotected : kExitFailed;
}

filecall::Result<std::unique_ptr<filecall::LogSink>> open_log(filecall::LogOptions log) {
  log.colour = ::isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return filecall::make_log_sink(log);
}

using ReadConfig = std::function<filecall::Result<filecall::worker::Config>()>;

int serve(const filecall::worker::Config& config, ReadConfig read_again) {
  auto opened = open_log(config.log);
  if (!opened) {
    fmt::print(stderr, "filecall-worker: {}\n", opened.error().message);
    return kExitFailed;
  }
  std::unique_ptr<filecall::LogSink> sink = std::move(*opened);
  filecall::set_log_sink(sink.get(), config.log_level);
  // With the C library's allocator each thread of the pool would have a heap of its own, which
  // keeps the most that was ever in flight through it: after a burst several MiB (mallopt(3)).
  ::mallopt(M_ARENA_MAX, 2);
  // Read by libuv when the pool is first used.
  ::setenv("UV_THREADPOOL_SIZE", fmt::format("{}", filecall::limits::kSyncThreads).c_str(), 0);
  auto worker = filecall::worker::Worker::open(config);
  if (!worker) {
    filecall::log_error("{}", worker.error().message);
    filecall::set_log_sink(nullptr, filecall::LogLevel::kOff);
    // cron mails what is printed, and another worker that answers is nothing to mail.
    const bool is_said = config.drain && worker.error().code == ErrorCode::kUnavailable;
    if (!config.log.path.empty() && !is_said) {
      fmt::print(stderr, "filecall-worker: {}\n", worker.error().message);
    }
    return exit_code(worker.error().code);
  }
  const auto open_again = [&sink](const filecall::worker::Config& fresh) -> filecall::Result<void> {
    TRY_ASSIGN(auto next, open_log(fresh.log));
    filecall::set_log_sink(next.get(), fresh.log_level);
    sink = std::move(next);
    return {};
  };
  (*worker)->on_reload({std::move(read_again), open_again});
  const filecall::worker::WorkerEnd end = (*worker)->run();
  const int code = end.has_unwritten ? kExitUnwritten : end.has_lost_root ? kExitFailed : 0;
  // What still runs cannot be waited for; nothing of it may be destroyed under it.
  if (!end.is_abandoned) worker->reset();
  filecall::set_log_sink(nullptr, filecall::LogLevel::kOff);
  if (end.is_abandoned) ::_exit(code);
  return code;
}

/// Nothing, when no tool is allowed.
filecall::Result<std::optional<filecall::worker::ToolCheck>> check_tools(
    const filecall::worker::ToolConfig& config) {
  if (config.allow.empty() && config.tools.empty()) return std::nullopt;
  TRY_ASSIGN(const auto ending, filecall::worker::find_tool_ending(config));
  return filecall::worker::ToolCheck{config.sandbox,
                                     ending == filecall::worker::ToolEnding::kProcessNamespace,
                                     filecall::find_delegated_group().value_or("")};
}

/// Prints to standard output. `code`, or that of a failure to write.
int print_output(std::string_view text, int code) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (is_written && std::fflush(stdout) == 0) return code;
  fmt::print(stderr, "filecall-worker: standard output: {}\n", std::strerror(errno));
  return kExitUnwritten;
}

int refuse_config(bool prints_json, const std::string& why) {
  if (prints_json) {
    (void)print_output(filecall::dump_json(filecall::worker::config_refusal_json(why)) + "\n",
                       kExitUsage);
  }
  fmt::print(stderr, "filecall-worker: {}\n", why);
  return kExitUsage;
}

/// Makes the commands as a worker does when it starts: what it would refuse then is said now.
filecall::Result<filecall::worker::file::FileConfig> try_commands(
    const filecall::worker::Config& config) {
  TRY_ASSIGN(auto files, filecall::worker::complete_file_config(config));
  TRY_ASSIGN(const auto loop, filecall::EventLoop::open());
  TRY(filecall::worker::Registry::create(loop->get(), config.tool, config.llm, config.kube, files));
  return files;
}

int check_config(const Options& options, const filecall::worker::Config& config,
                 const std::map<std::string, std::string>& environment) {
  if (!options.refusal.empty()) return refuse_config(true, options.refusal);
  filecall::worker::ConfigCheck check;
  auto files = try_commands(config);
  if (!files && !options.has_tool_roots && files.error().message.starts_with("tool.roots")) {
    // Without roots that is where the worker is started, which may be elsewhere.
    check.problems.push_back(files.error().message);
    filecall::worker::Config elsewhere = config;
    elsewhere.tool.allow_home = true;
    files = try_commands(elsewhere);
  }
  if (!files) return refuse_config(options.prints_json, files.error().message);
  std::ranges::move(filecall::worker::missing_tool_roots(config.tool),
                    std::back_inserter(check.problems));
  std::ranges::move(filecall::worker::missing_tool_programs(
                        config.tool, filecall::worker::search_path(environment)),
                    std::back_inserter(check.problems));
  check.file_roots = files->roots;
  check.file_writable = files->writable;
  auto found = filecall::worker::check_files(*files, config.roots);
  std::ranges::move(found.problems, std::back_inserter(check.problems));
  check.file_notes = std::move(found.notes);
  check.git_library = filecall::worker::git::git_library_version();
  auto providers = filecall::worker::check_providers(config, environment);
  if (!providers) check.problems.push_back(providers.error().message);
  if (providers) check.providers = std::move(*providers);
  auto contexts = filecall::worker::check_contexts(config, environment);
  if (!contexts) check.problems.push_back(contexts.error().message);
  if (contexts) check.contexts = std::move(*contexts);
  auto tools = check_tools(config.tool);
  if (!tools) check.problems.push_back(tools.error().message);
  if (tools) check.tools = std::move(*tools);
  return print_output(options.prints_json
                          ? filecall::dump_json(filecall::worker::config_check_json(check)) + "\n"
                          : "configuration is valid\n" + filecall::worker::config_check_text(check),
                      0);
}

}  // namespace

int main(int argc, char** argv) {
  filecall::forbid_core_dumps();  // Before any key is read.
  // A limit of file sizes (RLIMIT_FSIZE) is a failure of the write that meets it (EFBIG).
  std::signal(SIGXFSZ, SIG_IGN);
  const std::string variable(filecall::spool::kRootVariable);
  const auto options = filecall::worker::parse_options(argc, argv, std::getenv(variable.c_str()),
                                                       current_directory());
  if (!options) {
    fmt::print(stderr, "filecall-worker: {}\n", options.error().message);
    return kExitUsage;
  }
  filecall::worker::Config config = options->config;
  const auto environment = filecall::worker::read_environment();
  filecall::worker::complete_llm(config, environment);
  filecall::worker::complete_kube(config, environment);
  switch (options->action) {
    case Options::Action::kHelp:
      return print_output(options->text, 0);
    case Options::Action::kVersion:
      return print_output(fmt::format("filecall-worker {}\n", filecall::program_version()), 0);
    case Options::Action::kCheckConfig:
      return check_config(*options, config, environment);
    case Options::Action::kServe:
      break;
  }
  filecall::worker::prepare_process(config);
  const std::string directory = current_directory();
  return serve(config, [=]() -> filecall::Result<filecall::worker::Config> {
    TRY_ASSIGN(const Options again, filecall::worker::parse_options(
                                        argc, argv, std::getenv(variable.c_str()), directory));
    filecall::worker::Config fresh = again.config;
    filecall::worker::complete_llm(fresh, environment);
    filecall::worker::complete_kube(fresh, environment);
    filecall::worker::prepare_process(fresh);
    return fresh;
  });
}
