// SPDX-License-Identifier: MIT
#include "worker/exec/git/git_library.h"

#include <fmt/core.h>
#include <git2.h>

#include <mutex>

#include "base/check.h"
#include "base/utf8.h"

namespace filecall::worker::git {
namespace {

/// Of objects that are kept in memory, for all repositories together.
constexpr ssize_t kCacheBytes = 32 * 1024 * 1024;

ErrorCode code_of(int status) {
  switch (status) {
    case GIT_ENOTFOUND:
      return ErrorCode::kNotFound;
    case GIT_EEXISTS:
      return ErrorCode::kAlreadyExists;
    case GIT_EAMBIGUOUS:
    case GIT_EINVALIDSPEC:
      return ErrorCode::kInvalidArgument;
    case GIT_ELOCKED:
      return ErrorCode::kUnavailable;
    case GIT_EUSER:
      return ErrorCode::kCancelled;
    case GIT_EMISMATCH:
      return ErrorCode::kDataLoss;
    default:
      return ErrorCode::kFailedPrecondition;
  }
}

}  // namespace

void prepare_git_library() {
  static std::once_flag once;
  std::call_once(once, [] {
    CHECK(::git_libgit2_init() > 0, "libgit2 needs nothing but memory");
    for (const int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
                            GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL}) {
      ::git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    }
    // Nothing of a repository runs, so its owner does not matter; file.roots says what may be read.
    ::git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    ::git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    ::git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, kCacheBytes);
  });
}

Unexpected<Error> git_failed(int status, std::string_view what) {
  const git_error* error = ::git_error_last();
  const std::string reason =
      error == nullptr || error->message == nullptr ? "libgit2 does not say why" : error->message;
  const std::string_view advice = status == GIT_ELOCKED
                                      ? "; another program works on it, or died there: try again, "
                                        "and remove the .lock file when "
                                        "no git runs"
                                      : "";
  return fail(code_of(status), fmt::format("{}: {}{}", what, sanitize_utf8(reason), advice));
}

std::string hex(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  ::git_oid_fmt(text.data(), &id);
  return text;
}

bool is_no_object(const git_oid& id) { return ::git_oid_is_zero(&id) != 0; }

}  // namespace filecall::worker::git
