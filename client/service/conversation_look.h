// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/core/spend.h"
#include "client/service/last_answer.h"
#include "client/service/ledger.h"
#include "client/turns/conversation.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// A conversation, read again from what lies in the root.
struct ConversationLook {
  explicit ConversationLook(Conversation read) : conversation(std::move(read)) {}

  Conversation conversation;
  std::string digest;      ///< Of the bytes of all of its answers; empty: there is none.
  std::string last_id;     ///< The request of the model whose answer is the last one.
  std::string last_bytes;  ///< That answer.
  /// Why an answer that was there cannot be read any more; empty: all can.
  std::string lost;
  /// What each of its requests has used, by request id; only conversation_entry() knows it.
  std::map<std::string, Spend, std::less<>> spends;
};

/// The answer of a request, if it has ended. Failure: what reading returns.
using AnswerOf = std::function<Result<std::optional<LastAnswer>>(const std::string& id)>;

/// Whether metadata of a run's list say that a request begins a conversation.
bool begins_conversation(const Json& metadata);
/// Whether metadata of a request's file say that it is a later part of one.
bool is_within_conversation(const Json& metadata);

/// `metadata`: of the run's list, which has the script. Failures: invalid_argument, it is no
/// script; those of `answer_of`.
Result<ConversationLook> look_at_conversation(const std::string& first_id, const Json& metadata,
                                              const AnswerOf& answer_of);

/// The answer that the root's files show: a success, or the failure that gave the request up.
/// nullopt: it has not ended.
std::optional<LastAnswer> stored_answer(const spool::Layout& layout, const std::string& id);

/// A conversation as one entry: its state, the sums of its requests. `look`: what was read.
struct ConversationEntry {
  RequestEntry entry;
  std::shared_ptr<const ConversationLook> look;
};
Result<ConversationEntry> conversation_entry(Ledger& ledger, const spool::Layout& layout,
                                             const std::string& first_id, const Json& metadata);

}  // namespace filecall::client
