// SPDX-License-Identifier: MIT
#include "worker/exec/git/settings_reader.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>

#include "os/io.h"
#include "os/unique_fd.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

/// libgit2 reads a configuration from a file alone: this one is in memory and has no name.
Result<ConfigHandle> config_of(std::string_view text) {
  const UniqueFd memory(::memfd_create("git-config", MFD_CLOEXEC));
  if (!memory.is_open()) return fail_errno(errno, "memfd_create");
  TRY(write_all(memory.get(), text, "the repository's config"));
  const std::string path = fmt::format("/proc/self/fd/{}", memory.get());
  ConfigHandle open;
  ConfigHandle snapshot;
  int status = ::git_config_new(Out(open));
  if (status == 0) {
    status =
        ::git_config_add_file_ondisk(open.get(), path.c_str(), GIT_CONFIG_LEVEL_LOCAL, nullptr, 0);
  }
  if (status == 0) status = ::git_config_snapshot(Out(snapshot), open.get());
  if (status == 0) return snapshot;
  return fail(ErrorCode::kFailedPrecondition,
              "/params/repository: its configuration is not one: git cannot read it either");
}

}  // namespace

Result<Settings> parse_settings(std::string_view text) {
  TRY_ASSIGN(const ConfigHandle config, config_of(text));
  ConfigIterator all;
  if (const int status = ::git_config_iterator_new(Out(all), config.get()); status < 0) {
    return git_failed(status, "the repository's config");
  }
  Settings settings;
  git_config_entry* entry = nullptr;
  while (::git_config_next(&entry, all.get()) == 0) {
    // A name without "=" stands for true.
    settings[entry->name] = entry->value == nullptr ? "true" : entry->value;
  }
  return settings;
}

Result<ConfigHandle> make_config(const Settings& settings) {
  return config_of(settings_text(settings));
}

}  // namespace filecall::worker::git
