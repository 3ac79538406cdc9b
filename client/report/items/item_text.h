// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/json.h"

namespace filecall::client {

/// What a request asks, for people: the one message of a chat as it is, several with their roles
/// before them, any other command's params as JSON. Pure, as all here; takes whatever is there.
std::string prompt_text(const Json& params);
/// What came back: a chat's text (or its refusal, or its tool calls), any other data as JSON.
std::string answer_text(const Json& data);

/// The member if it is a string, else empty.
std::string text_member(const Json& object, const char* name);
/// The member if it is an object, else null.
const Json& object_member(const Json& object, const char* name);

}  // namespace filecall::client
