// SPDX-License-Identifier: MIT
#include "client/engine/remembered_launch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "os/io.h"
#include "os/regular_file.h"
#include "spool/group_root.h"
#include "spool/layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kLaunchBytesMax = 64 * 1024;
constexpr std::size_t kConfigBytesMax = 1024 * 1024;

constexpr std::string_view kWithout =
    "start the worker with 'filecall worker start --forget', with --worker-config FILE if it needs "
    "one";

bool is_same_place(const std::string& a, const std::string& b) {
  std::error_code status;
  return a == b || std::filesystem::equivalent(a, b, status);
}

/// Whether a flag stands for an option that is given now.
bool is_replaced(std::string_view flag, const WorkerStart& start) {
  const std::string_view name = flag.substr(0, flag.find('='));
  return (name == "--durability" && start.durability) ||
         (name == "--log-file" && !start.log_file.empty());
}

}  // namespace

Result<std::optional<WorkerLaunch>> read_launch(const std::string& root) {
  const std::string path = spool::layout_of(root).worker_launch();
  const auto fd = open_regular(path, O_RDONLY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return std::optional<WorkerLaunch>();
  if (!fd) return fail(fd.error().code, fmt::format("{}; {}", fd.error().message, kWithout));
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return fail_errno(errno, path);
  if (info.st_uid != ::geteuid()) {
    return fail(
        ErrorCode::kPermissionDenied,
        fmt::format("{}: belongs to user {} and is not believed; {}", path, info.st_uid, kWithout));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: others may write it, so it is not believed; {}", path, kWithout));
  }
  TRY_ASSIGN(const std::string bytes, read_all(fd->get(), kLaunchBytesMax, path));
  auto launch = parse_worker_launch(bytes);
  if (!launch) {
    return fail(launch.error().code,
                fmt::format("{}: {}; {}", path, launch.error().message, kWithout));
  }
  return std::optional(std::move(*launch));
}

std::string working_directory_of(const std::string& root) {
  const auto launch = root.empty() ? Result<std::optional<WorkerLaunch>>() : read_launch(root);
  if (launch && *launch && !(*launch)->directory.empty()) return (*launch)->directory;
  std::error_code status;
  const auto here = std::filesystem::current_path(status);
  return status ? std::string() : here.string();
}

WorkerCommand worker_command_line(const WorkerStart& start, const std::string& program,
                                  const std::optional<WorkerLaunch>& launch) {
  WorkerCommand command;
  const bool is_same_config = launch && start.config.empty();
  const std::string& config = is_same_config ? launch->config : start.config;
  if (is_same_config) command.directory = launch->directory;
  auto& words = command.arguments;
  words = {program};
  // A configuration that names the roots may name others by now.
  if (!is_same_config || !launch->roots.empty() || launch->config.empty()) {
    words.insert(words.end(), {"--root", start.root});
  }
  if (launch) {
    for (const std::string& root : launch->roots) {
      if (!is_same_place(root, start.root)) words.insert(words.end(), {"--root", root});
    }
  }
  if (!config.empty()) words.insert(words.end(), {"--config", config});
  if (launch) {
    for (const std::string& flag : launch->arguments) {
      if (!is_replaced(flag, start)) words.push_back(flag);
    }
  }
  if (start.durability) {
    words.insert(words.end(), {"--durability", std::string(to_string(*start.durability))});
  }
  if (start.allow_shared_root) words.emplace_back("--allow-shared-root");
  if (!start.log_file.empty()) words.insert(words.end(), {"--log-file", start.log_file});
  words.insert(words.end(), {"--default-log-file", spool::layout_of(start.root).worker_log()});
  return command;
}

std::string worker_log_path(const WorkerStart& start) {
  if (!start.log_file.empty()) return start.log_file;
  const auto launch = read_launch(start.root);
  if (launch && *launch && !(*launch)->log_file.empty()) return (*launch)->log_file;
  return spool::layout_of(start.root).worker_log();
}

Result<void> check_worker_config(const WorkerStart& start) {
  if (start.config.empty()) return {};
  TRY_ASSIGN(const WorkerView view, worker_view(start.root));
  if (view.presence == WorkerPresence::kNotRunning || !view.status) return {};
  TRY_ASSIGN(const auto launch, read_launch(start.root));
  // A worker that does not say how it was started, or has not yet.
  if (!launch || launch->instance != view.status->instance) return {};
  TRY_ASSIGN(const std::string bytes, read_file(start.config, kConfigBytesMax));
  if (config_digest(bytes) == launch->config_digest) return {};
  std::string what = "without a configuration";
  if (!launch->config.empty()) what = "with " + launch->config;
  if (is_same_place(launch->config, start.config)) {
    what = fmt::format("with {} as it was when it was read", launch->config);
  }
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{}: its worker (pid {}) runs {}, not with {}; 'filecall worker restart "
                  "--root {} --worker-config {}' changes that, or leave --worker-config "
                  "out",
                  start.root, view.status->pid, what,
                  is_same_place(launch->config, start.config) ? "what is there now" : start.config,
                  start.root, start.config));
}

}  // namespace filecall::client
