// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "worker/proc/sandbox/landlock_rules.h"

// The same number on every architecture; older headers lack the names.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

namespace filecall::worker::guard {
namespace {

/// The kernel's structures; those of the system's headers may lack the newer members.
struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};
struct [[gnu::packed]] PathAttributes {
  std::uint64_t access;
  std::int32_t parent_fd;
};
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;
constexpr std::uint64_t kFileRights =
    kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl | kResolveUnix;

std::size_t attributes_size(int abi) {
  if (abi >= 6) return sizeof(RulesetAttributes);
  return abi >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

int add_rule(int ruleset, const LandlockRule& rule) {
  struct open_how how {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = rule.follows_links ? 0 : RESOLVE_NO_SYMLINKS;
  const auto fd =
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, rule.path.c_str(), &how, sizeof how));
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
  struct stat info {};
  ::fstat(fd, &info);
  PathAttributes attributes{rule.access, fd};
  // The kernel refuses rights on a file that only directories have.
  if (!S_ISDIR(info.st_mode)) attributes.access &= kFileRights;
  const long done = ::syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &attributes, 0);
  const int error = done == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

}  // namespace

int landlock_abi() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

StepFailure apply_landlock(const SandboxOptions& options) {
  const int abi = landlock_abi();
  if (abi == 0) return failed_at(Step::kLandlock, ENOSYS);
  const LandlockRules wanted = make_landlock_rules(options, abi);
  const RulesetAttributes attributes{wanted.files, wanted.network, wanted.scopes};
  const auto ruleset = static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, attributes_size(abi), 0));
  if (ruleset < 0) return failed_at(Step::kLandlock, errno);
  for (const LandlockRule& rule : wanted.rules) {
    if (const int error = add_rule(ruleset, rule); error != 0) {
      return failed_at(Step::kLandlock, error, rule.path.c_str());
    }
  }
  const bool is_done = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  const int error = errno;
  ::close(ruleset);
  return is_done ? StepFailure{} : failed_at(Step::kLandlock, error);
}

}  // namespace filecall::worker::guard
