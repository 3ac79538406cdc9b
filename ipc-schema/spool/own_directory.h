// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::spool {

/// Opens a directory that must be this user's alone, to read what lies in it: one of threads/,
/// approvals/ and proposals/, which are made (0700) by the first program that uses them. `path`
/// lies in a root that was checked, or in a home in it; what is above it is there. Blocking; any
/// thread. Failures: failed_precondition, a symbolic link or no directory; permission_denied, it
/// belongs to another user, or others may write to it, also in a root that is shared; not_found,
/// `creates` is false and it is not there.
Result<UniqueFd> open_own_directory(const std::string& path, bool creates);

}  // namespace filecall::spool
