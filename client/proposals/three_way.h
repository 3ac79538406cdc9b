// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// The content that an update was made for, out of its new content and its difference. Failures:
/// invalid_argument, it has no such members, or they do not fit each other. Pure.
Result<std::string> base_content(const Json& change);

/// An update and the file as it is now, merged: what only one of them changed is there, and what
/// both changed otherwise stands between marks, beside the base. Failures: as above;
/// failed_precondition, one of them is no text. Pure.
struct ThreeWay {
  std::string content;
  std::size_t conflicts = 0;
};
Result<ThreeWay> three_way(const Json& change, std::string_view present);

}  // namespace filecall::client
