// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// Whether an approval's request is what its run asked for: the digest in it only says that the
/// file is whole, and who writes the file can write the digest. Empty: it is, or the records of its
/// run are not here. Else what to tell a person. Blocking.
std::string altered_request_text(const spool::Layout& layout, const Json& request);

}  // namespace filecall::client
