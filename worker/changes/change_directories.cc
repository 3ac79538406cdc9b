// SPDX-License-Identifier: MIT
#include "worker/changes/change_directories.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/take_until.h"
#include "worker/changes/step_files.h"

namespace filecall::worker::changes {
namespace {

// The umask takes what it is for.
constexpr mode_t kMadeMode = 0777;

Result<void> make_one(const StepDirectory& above, const std::string& name,
                      const std::string& whole) {
  if (::mkdirat(above->get(), name.c_str(), kMadeMode) != 0) {
    if (errno == EEXIST) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}: somebody else makes it at this moment", whole));
    }
    return fail_errno(errno, whole);
  }
  return {};
}

Result<StepDirectory> open_one(const StepDirectory& above, const std::string& name,
                               const std::string& whole) {
  TRY(sync_entries(above->get(), whole));
  UniqueFd fd(::openat(above->get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.is_open()) return fail_errno(errno, whole);
  return StepDirectory(std::make_shared<const UniqueFd>(std::move(fd)));
}

}  // namespace

std::vector<StepDirectory> open_step_directories(const ChangeSet& set) {
  std::map<std::string_view, StepDirectory> known;
  std::vector<StepDirectory> opened;
  for (const ChangeStep& step : set.steps) {
    auto [at, is_new] = known.try_emplace(step.directory);
    if (is_new) {
      auto fd = open_directory(step.directory);
      const bool is_gone = !fd && fd.error().code == ErrorCode::kNotFound;
      if (fd) at->second = std::make_shared<const UniqueFd>(*std::move(fd));
      if (is_gone) at->second = std::make_shared<const UniqueFd>();
    }
    opened.push_back(at->second);
  }
  return opened;
}

Result<StepDirectory> DirectoryMaker::make(StepDirectory above, const std::string& directory,
                                           const std::string& missing) {
  std::string whole = directory.substr(0, directory.size() - missing.size());
  while (whole.ends_with('/')) whole.pop_back();
  std::string_view rest = missing;
  while (!rest.empty()) {
    const std::string name(take_until(&rest, '/'));
    whole += "/" + name;
    StepDirectory& known = made_[whole];
    if (known == nullptr) {
      TRY(make_one(above, name, whole));
      names_.push_back(whole);
      TRY_ASSIGN(known, open_one(above, name, whole));
    }
    above = known;
  }
  return above;
}

void remove_empty_directories(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    const std::size_t slash = directory.rfind('/');
    const auto above = open_directory(slash == 0 ? "/" : directory.substr(0, slash));
    if (!above) continue;
    const std::string name = directory.substr(slash + 1);
    if (::unlinkat(above->get(), name.c_str(), AT_REMOVEDIR) != 0) continue;
    static_cast<void>(sync_entries(above->get(), directory));
  }
}

}  // namespace filecall::worker::changes
