// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "ipc/json.h"
#include "tests/support/llm_endpoint/script.h"

namespace endpoint {

/// Whose wire format a path speaks.
enum class Shape { kChat, kResponses, kAnthropic, kEmbeddings, kModels, kUnknown };
Shape shape_of(const std::string& path);

/// The text that a request shall be answered with: the script's, or what stands after "say " in the
/// last message, or some words.
std::string answer_text(const Script& script, const filecall::Json& body);

/// A whole answer of that shape.
std::string whole_body(Shape shape, const Script& script, const filecall::Json& body);
/// The events of a streamed answer, each with its blank line; the terminal one is the last.
std::vector<std::string> stream_events(Shape shape, const Script& script,
                                       const filecall::Json& body);
/// An error in that shape's envelope.
std::string error_body(Shape shape, const Script& script);
/// The same as an event of a stream.
std::string error_event(Shape shape, const Script& script);

}  // namespace endpoint
