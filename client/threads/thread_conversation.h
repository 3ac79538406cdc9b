// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/threads/thread_list.h"
#include "client/threads/thread_reader.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// What was said in a thread.
struct ConversationMessage {
  std::string thread;  ///< Where it stands: this one, or one that this is forked from.
  std::int64_t seq = 0;
  std::string at;
  std::string role;  ///< "user", "assistant" or "system".
  std::string text;
  std::string run;  ///< Empty: of none.

  bool operator==(const ConversationMessage&) const = default;
};

struct ThreadConversation {
  ThreadSummary summary;
  std::vector<ConversationMessage> messages;  ///< Those of parents first; none before a deletion.
  std::vector<std::string> problems;          ///< What was passed over, for people.
  bool complete = true;
};

/// Reads all messages of a thread and, of a fork, those of its parents up to where it began.
/// Failures: as of ThreadReader::open().
Result<ThreadConversation> read_conversation(const spool::Layout& layout, std::string_view thread);

/// As one JSON document, with times in milliseconds since 1970: {id, title, createdAt, updatedAt,
/// messages: [{id, role, content, createdAt, metadata}], metadata}. Pure.
Json conversation_json(const ThreadConversation& conversation);

}  // namespace filecall::client
