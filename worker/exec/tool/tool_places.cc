// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_places.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace filecall::worker {
namespace {

/// EAGAIN: a rename raced with the resolution; the kernel asks to try again.
constexpr int kRacedTries = 16;

int open_beneath(int root, const std::string& path) {
  struct open_how how {};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  for (int tries = 0; tries < kRacedTries; ++tries) {
    fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return static_cast<int>(fd);
}

/// Opens `path` beneath an open directory, whose name is for messages.
Result<UniqueFd> open_directory(const UniqueFd& above, const std::string& name,
                                const std::string& path, std::string_view pointer,
                                std::string_view advice) {
  UniqueFd directory(open_beneath(above.get(), path));
  if (directory.is_open()) return directory;
  const int error = errno;
  if (error == EXDEV) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: '{}' leads out of {}{}", pointer, path, name, advice));
  }
  if (error == ENOTDIR) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: '{}' beneath {} is not a directory", pointer, path, name));
  }
  return fail_errno(error, fmt::format("{}: '{}' beneath {}", pointer, path, name));
}

/// Where an open directory lies, without links.
Result<std::string> path_of(const UniqueFd& directory) {
  char target[PATH_MAX];
  const std::string link = fmt::format("/proc/self/fd/{}", directory.get());
  const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
  if (size < 0) return fail_errno(errno, link);
  return std::string(target, static_cast<std::size_t>(size));
}

}  // namespace

Result<OpenWorkplace> open_workplace(const Workplace& workplace) {
  constexpr std::string_view kAdvice = "; name a directory beneath an allowed root (tool.roots)";
  const UniqueFd root(::open(workplace.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) {
    return fail_errno(errno, fmt::format("tool root {} (tool.roots)", workplace.root));
  }
  OpenWorkplace out;
  if (!workplace.is_bounded()) {
    TRY_ASSIGN(out.directory,
               open_directory(root, workplace.root, workplace.below, "/params/cwd", kAdvice));
    return out;
  }
  TRY_ASSIGN(const UniqueFd bounds,
             open_directory(root, workplace.root, workplace.bounds, "/params/beneath", kAdvice));
  TRY_ASSIGN(out.bounds, path_of(bounds));
  TRY_ASSIGN(out.directory,
             open_directory(bounds, out.bounds, workplace.below, "/params/cwd", " (beneath)"));
  return out;
}

Result<std::string> find_program(std::string_view program, std::string_view path) {
  if (program.find('/') != std::string_view::npos) return std::string(program);
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    if (!directory.starts_with('/')) continue;
    std::string candidate = fmt::format("{}/{}", directory, program);
    if (is_executable_file(candidate)) return candidate;
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("{}: no such program in the worker's PATH ({}); install it, or start the "
                          "worker with a PATH that has it",
                          program, path));
}

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

std::map<std::string, std::string> read_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string_view search_path(const std::map<std::string, std::string>& environment) {
  const auto path = environment.find("PATH");
  return path == environment.end() ? kDefaultToolPath : std::string_view(path->second);
}

Result<std::string> current_directory() {
  char path[PATH_MAX];
  if (::getcwd(path, sizeof path) == nullptr) return fail_errno(errno, "current directory");
  return std::string(path);
}

}  // namespace filecall::worker
