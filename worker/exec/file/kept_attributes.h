// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <string_view>

#include "base/result.h"

namespace filecall::worker::file {

/// Gives a new file what another has that is not content: owner, group, mode, access control list
/// and extended attributes. Nobody gets a right beyond the old ones:
/// - set-user-ID, set-group-ID and file capabilities go, as write(2) takes them;
/// - an owner or a group that the worker may not give leaves its bits to those that others have,
///   and a file that has an access control list then is refused;
/// - an attribute that cannot be kept is a refusal that names it.
/// `before` is open for reading; `info` is fstat(2) of it. Failures: permission_denied, and
/// errno's; messages begin with `where`. Blocks; any thread.
Result<void> keep_attributes(int before, const struct stat& info, int after,
                             std::string_view where);

}  // namespace filecall::worker::file
