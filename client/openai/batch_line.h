// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// One line of an input file of OpenAI's Batch API, as what it asks a worker for. What the commands
/// have no name for stands in params.extra_body; `raw` is set, so that the provider's own answer
/// can be handed on. (Shape: platform.openai.com/docs/guides/batch.)
struct OpenAiBatchLine {
  std::string custom_id;
  std::string url;      ///< As written.
  std::string command;  ///< llm.chat or llm.embed
  Json params;
};

/// Whether an input's line may be one: a cheap look at the text; false is certain.
bool may_be_openai_batch_line(std::string_view text);
/// Whether an object is one: it has a custom_id and no command.
bool is_openai_batch_line(const Json& object);

/// Reads a line for /v1/chat/completions, /v1/responses or /v1/embeddings. Pure. The string says
/// what is wrong, with a JSON pointer.
Result<OpenAiBatchLine, std::string> read_openai_batch_line(const Json& object);

/// The request for a line, without request_id. Its metadata has `item` (the custom_id), `model` and
/// `openai_batch` {custom_id, url}, from which the output is made.
Json request_for(const OpenAiBatchLine& line);

}  // namespace filecall::client
