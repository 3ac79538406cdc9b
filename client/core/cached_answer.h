// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::client {

/// The text of `client/answers/{id}.json`: a success response of the client's own. It holds the
/// request, of which there is no file, since a worker would answer it; its data says that it is
/// cached and costs nothing. Pure.
std::string render_cached_answer(const std::string& id, std::string_view request_text, Json data);

/// The request within such a text; nullopt: there is none.
std::optional<std::string> request_in_answer(std::string_view answer_text);

}  // namespace filecall::client
