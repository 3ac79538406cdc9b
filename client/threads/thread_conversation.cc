// SPDX-License-Identifier: MIT
#include "client/threads/thread_conversation.h"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "base/time.h"
#include "client/threads/spilled_data.h"

namespace filecall::client {
namespace {

/// Forks of forks; more can only be a circle that somebody made by hand.
constexpr int kParentsMax = 100;

std::string said(const Json& data, const char* name) {
  const auto found = data.find(name);
  return found != data.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t milliseconds_of(const std::string& at) {
  const auto time = parse_rfc3339(at);
  return time ? to_ms(time->time_since_epoch()) : 0;
}

/// Gathers the messages of a thread and of those that it is forked from.
class Gathering {
 public:
  explicit Gathering(const spool::Layout& layout) : layout_(layout) {}

  Result<std::vector<ConversationMessage>> messages_of(const std::string& thread,
                                                       std::int64_t up_to, int parents) {
    std::vector<ConversationMessage> messages;
    TRY_ASSIGN(ThreadReader reader, ThreadReader::open(layout_, thread));
    for (;;) {
      TRY_ASSIGN(auto record, reader.next());
      if (!record || record->seq > up_to) break;
      if (record->type == "thread.deleted") messages.clear();
      if (record->type == "thread.created") messages = inherited(record->data, parents);
      if (record->type == "message") add(thread, *record, messages);
    }
    for (const BadLine& bad : reader.bad()) {
      note(bad_line_text(layout_.thread(thread), bad));
    }
    return messages;
  }

  std::vector<std::string> take_problems() { return std::move(problems_); }

 private:
  void note(std::string problem) { problems_.push_back(std::move(problem)); }

  std::vector<ConversationMessage> inherited(const Json& created, int parents) {
    const std::string parent = said(created, "parent");
    if (parent.empty()) return {};
    const Json seq = created.value("parent_seq", Json());
    if (parents == 0 || !seq.is_number_integer()) {
      note(fmt::format("thread {}: what it is forked from cannot be found", parent));
      return {};
    }
    auto messages = messages_of(parent, seq.get<std::int64_t>(), parents - 1);
    if (messages) return *std::move(messages);
    note(messages.error().message);
    return {};
  }

  void add(const std::string& thread, const ThreadRecord& record,
           std::vector<ConversationMessage>& messages) {
    const auto data = whole_value(layout_, record.data);
    if (!data)
      return note(
          fmt::format("thread {}, record {}: {}", thread, record.seq, data.error().message));
    messages.push_back(
        {thread, record.seq, record.at, said(*data, "role"), said(*data, "text"), record.run});
  }

  const spool::Layout& layout_;
  std::vector<std::string> problems_;
};

}  // namespace

Result<ThreadConversation> read_conversation(const spool::Layout& layout, std::string_view thread) {
  ThreadConversation conversation;
  TRY_ASSIGN(conversation.summary, summarise_thread(layout, thread));
  Gathering gathering(layout);
  TRY_ASSIGN(conversation.messages,
             gathering.messages_of(std::string(thread), std::numeric_limits<std::int64_t>::max(),
                                   kParentsMax));
  conversation.problems = gathering.take_problems();
  conversation.complete = conversation.problems.empty() && conversation.summary.bad_count == 0;
  return conversation;
}

Json conversation_json(const ThreadConversation& conversation) {
  const ThreadSummary& summary = conversation.summary;
  Json messages = Json::array();
  for (const ConversationMessage& message : conversation.messages) {
    Json metadata = {{"thread", message.thread}, {"seq", message.seq}};
    if (!message.run.empty()) metadata["run"] = message.run;
    messages.push_back({{"id", fmt::format("{}-{}", message.thread, message.seq)},
                        {"role", message.role},
                        {"content", message.text},
                        {"createdAt", milliseconds_of(message.at)},
                        {"metadata", std::move(metadata)}});
  }
  Json metadata = {{"complete", conversation.complete},
                   {"records", summary.records},
                   {"runs", summary.runs},
                   {"deleted", summary.is_deleted}};
  if (!summary.parent.empty()) {
    metadata["parent"] = summary.parent;
    metadata["parentSeq"] = summary.parent_seq;
  }
  return {{"id", summary.id},
          {"title", summary.title},
          {"createdAt", milliseconds_of(summary.created_at)},
          {"updatedAt", milliseconds_of(summary.updated_at)},
          {"messages", std::move(messages)},
          {"metadata", std::move(metadata)}};
}

}  // namespace filecall::client
