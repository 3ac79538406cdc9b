// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// One descriptor that is readable whenever one of these is (negative ones are none); not open when
/// there is none. They must outlive it.
Result<UniqueFd> any_descriptor(std::initializer_list<int> fds);

}  // namespace filecall::client
