// SPDX-License-Identifier: MIT
#include "spool/own_response.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/worker_status.h"
#include "os/accounts.h"
#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::spool {
namespace {

constexpr std::size_t kStatusBytesMax = 1024 * 1024;

std::optional<uid_t> owner_at(int directory, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return info.st_uid;
}

/// `name`: in the open directory, or a whole path with AT_FDCWD.
std::optional<std::string> compare_users(int directory, const std::string& name, bool thorough) {
  const auto file = open_regular_file_at(directory, name, O_RDONLY, "worker");
  if (!file) return std::nullopt;
  const auto bytes = read_all(file->fd.get(), kStatusBytesMax, name);
  if (!bytes) return std::nullopt;
  const auto status = parse_worker_status(*bytes);
  if (!status || !status->user) return std::nullopt;
  const bool has_other_number = *status->user != file->info.st_uid;
  const bool has_other_map =
      thorough && !status->user_map.empty() && status->user_map != user_map();
  if (!has_other_number && !has_other_map) return std::nullopt;
  return fmt::format(
      "the worker of this group's root sees other users than this program: it runs in another "
      "user namespace, where its own user is {} and not {}, so that nobody can say whom its "
      "responses answer; run the worker where users have the same numbers",
      *status->user, file->info.st_uid);
}

Error not_ours(std::string_view stem, std::uint32_t served) {
  return {ErrorCode::kPermissionDenied,
          fmt::format("response {}: answers {}, who dropped a request of that id before and "
                      "removed it; take an id that nobody else takes",
                      stem, user_label(served))};
}

}  // namespace

Result<Response> read_own_response(const Directories& directories, std::string_view bytes,
                                   std::string_view stem, AskedBy asked) {
  TRY_ASSIGN(auto response, parse_response(bytes, stem));
  if (!directories.user || !response.user) return response;
  const AnswerOwners owners{*directories.user, directories.is_members, response.user,
                            owner_at(directories.requests.get(), Layout::file_name(stem))};
  if (is_answer_to(asked, owners)) return response;
  if (auto why = compare_users(directories.root.get(), "worker/status.json", true)) {
    return fail(ErrorCode::kFailedPrecondition, fmt::format("response {}: {}", stem, *why));
  }
  return Unexpected(not_ours(stem, *response.user));
}

Result<void> require_own_response(const Layout& layout, std::string_view bytes,
                                  std::string_view stem, AskedBy asked) {
  if (!layout.is_of_group()) return {};
  const auto response = parse_response(bytes, stem);
  if (!response || !response->user) return {};
  const uid_t reader = ::geteuid();
  const bool is_member = reader != 0 && owner_at(AT_FDCWD, layout.users()) != reader;
  const AnswerOwners owners{reader, is_member, response->user,
                            owner_at(AT_FDCWD, layout.request(stem))};
  if (is_answer_to(asked, owners)) return {};
  if (auto why = other_users(layout, true)) {
    return fail(ErrorCode::kFailedPrecondition, fmt::format("response {}: {}", stem, *why));
  }
  return Unexpected(not_ours(stem, *response->user));
}

std::optional<std::string> other_users(const Layout& layout, bool thorough) {
  if (!layout.is_of_group()) return std::nullopt;
  return compare_users(AT_FDCWD, layout.worker_status(), thorough);
}

}  // namespace filecall::spool
