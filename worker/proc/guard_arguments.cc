// SPDX-License-Identifier: MIT
#include "worker/proc/guard_arguments.h"

#include <fmt/core.h>

namespace filecall::worker {
namespace {

void add_option(std::vector<std::string>* args, std::string_view name,
                const std::optional<std::int64_t>& value) {
  if (value) args->push_back(fmt::format("--{}={}", name, *value));
}

void add_options(std::vector<std::string>* args, std::string_view name,
                 const std::vector<std::string>& values) {
  for (const std::string& value : values) args->push_back(fmt::format("--{}={}", name, value));
}

void add_sandbox(std::vector<std::string>* args, const ChildSandbox& sandbox) {
  if (!sandbox.is_on()) return;
  if (sandbox.level == guard::Level::kReadOnly) args->emplace_back("--sandbox=read-only");
  if (sandbox.level == guard::Level::kWorkspaceWrite) {
    args->emplace_back("--sandbox=workspace-write");
  }
  if (!sandbox.network) args->emplace_back("--no-network");
  args->push_back(fmt::format("--protections={}", sandbox.protections));
  args->push_back(fmt::format("--tmp-bytes={}", sandbox.tmp_bytes));
  add_options(args, "root", sandbox.roots);
  add_options(args, "readable", sandbox.readable);
  add_options(args, "hide", sandbox.hidden);
  add_options(args, "protect", sandbox.protect);
}

}  // namespace

std::vector<std::string> guard_arguments(const std::string& guard, const ChildSpec& spec) {
  std::vector<std::string> args = {guard};
  add_option(&args, "memory", spec.limits.memory_bytes);
  add_option(&args, "cpu", spec.limits.cpu_seconds);
  add_option(&args, "files", spec.limits.files);
  add_option(&args, "file-bytes", spec.limits.file_bytes);
  add_option(&args, "processes", spec.limits.processes);
  add_option(&args, "kill-delay-ms", to_ms(spec.kill_delay));
  if (!spec.group.empty()) args.push_back("--group=" + spec.group);
  add_sandbox(&args, spec.sandbox);
  args.push_back(spec.program);
  args.insert(args.end(), spec.argv.begin(), spec.argv.end());
  return args;
}

}  // namespace filecall::worker
