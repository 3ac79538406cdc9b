// SPDX-License-Identifier: MIT
#include "worker/exec/file/new_file.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace filecall::worker::file {
namespace {

/// Others make or remove the same directories at this moment.
constexpr int kMeetingTries = 16;

bool may_be_met(ErrorCode code) {
  return code == ErrorCode::kFailedPrecondition || code == ErrorCode::kNotFound;
}

/// The directories that are a part of its name, as answers name them.
std::vector<std::string> missing_of(const FileRules& rules, const ChangePlace& place) {
  std::vector<std::string> names;
  const std::string path = place.path();
  for (std::size_t at = path.size() - place.name.size();
       (at = path.find('/', at)) != std::string::npos; ++at) {
    names.push_back(name_of(rules, place.directory.root, path.substr(0, at)));
  }
  return names;
}

}  // namespace

Result<void> make_missing_directories(ChangePlace& place, changes::DirectoryMaker& maker) {
  const std::size_t slash = place.name.rfind('/');
  if (slash == std::string::npos) return {};
  OpenPlace& directory = place.directory;
  const std::string missing = place.name.substr(0, slash);
  directory.path = directory.path == "." ? missing : directory.path + "/" + missing;
  place.name.erase(0, slash + 1);
  TRY_ASSIGN(const auto made, maker.make(std::make_shared<const UniqueFd>(std::move(directory.fd)),
                                         directory.whole(), missing));
  directory.fd = UniqueFd(::fcntl(made->get(), F_DUPFD_CLOEXEC, 0));
  if (!directory.fd.is_open()) return fail_errno(errno, directory.whole());
  return {};
}

Result<NewFile> create_file(const FileRules& rules, std::string_view path, std::string_view pointer,
                            std::string_view bytes, std::optional<unsigned> mode) {
  for (int tries = 1;; ++tries) {
    TRY_ASSIGN(ChangePlace place, open_for_create(rules, path, pointer));
    NewFile file{name_of(rules, place.directory.root, place.path()), missing_of(rules, place)};
    changes::DirectoryMaker maker;
    auto done = make_missing_directories(place, maker);
    if (done) done = publish_new(place, bytes, mode);
    if (done) return file;
    changes::remove_empty_directories(maker.made());
    if (may_be_met(done.error().code) && tries < kMeetingTries) continue;
    return fail(done.error().code, fmt::format("{}: {}", pointer, done.error().message));
  }
}

}  // namespace filecall::worker::file
