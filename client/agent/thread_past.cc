// SPDX-License-Identifier: MIT
#include "client/agent/thread_past.h"

#include <algorithm>

#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"
#include "client/threads/spilled_data.h"
#include "client/threads/thread_reader.h"

namespace filecall::client {
namespace {

constexpr std::size_t kRecordsFirst = 400;
constexpr std::size_t kMessagesMax = 20;
constexpr std::size_t kMessageBytesMax = 4096;
/// Forks of forks; more can only be a circle that somebody made by hand.
constexpr int kForksMax = 100;

class PastReader {
 public:
  explicit PastReader(const spool::Layout& layout) : layout_(layout) {}

  Result<void> take(const ThreadRecord& record, int forks, ThreadPast& past) const {
    const std::string& type = record.type;
    if (type == "thread.deleted") past = {};
    if (type == "thread.created") {
      TRY_ASSIGN(past, inherited(record.data, forks));
    }
    const bool is_known = type == "message" || type == "todo.written" || type == "run.begun" ||
                          type == "approval.decided";
    if (!is_known) return {};
    TRY_ASSIGN(const Json data, whole_value(layout_, record.data));
    if (type == "message") {
      past.messages.push_back(
          {{"role", text_at(data, "role")},
           {"text", bounded_text(text_at(data, "text"), kMessageBytesMax, "")}});
      if (past.messages.size() > kMessagesMax) past.messages.erase(past.messages.begin());
    } else if (type == "todo.written") {
      past.todo = {{"version", number_at(data, "version")}, {"items", value_at(data, "items")}};
    } else if (type == "run.begun") {
      take_begun(data, past);
    } else {
      take_decision(data, past);
    }
    return {};
  }

 private:
  /// What a run knew when it began; what stood in the thread before it need not be read.
  static void take_begun(const Json& data, ThreadPast& past) {
    past.granted = texts_at(data, "granted");
    past.todo = value_at(data, "todo");
    const Json& earlier = value_at(data, "earlier");
    if (past.messages.empty() && earlier.is_array()) past.messages = earlier;
  }

  static void take_decision(const Json& data, ThreadPast& past) {
    if (text_at(data, "scope") != "thread") return;
    for (const Json& one : value_at(data, "decisions")) {
      const std::string rule = text_at(one, "rule");
      if (!rule.empty() && flag_at(one, "approved")) past.granted.push_back(rule);
    }
  }

  Result<ThreadPast> inherited(const Json& created, int forks) const {
    ThreadPast past;
    const std::string parent = text_at(created, "parent");
    if (parent.empty() || forks == 0) return past;
    const std::int64_t last = number_at(created, "parent_seq");
    // A parent that cannot be read says nothing; the log of the fork itself can.
    auto reader = ThreadReader::open(layout_, parent);
    if (!reader) return past;
    for (;;) {
      TRY_ASSIGN(const auto record, reader->next());
      if (!record || record->seq > last) break;
      TRY(take(*record, forks - 1, past));
    }
    past.granted.clear();
    return past;
  }

  const spool::Layout& layout_;
};

}  // namespace

Result<ThreadPast> read_thread_past(const spool::Layout& layout, std::string_view thread) {
  ThreadPage page;
  for (std::size_t count = kRecordsFirst;; count *= 4) {
    TRY_ASSIGN(page, read_last(layout, thread, count));
    const bool has_run =
        std::any_of(page.records.begin(), page.records.end(),
                    [](const ThreadRecord& record) { return record.type == "run.begun"; });
    if (has_run || !page.has_older) break;
  }
  const PastReader reader(layout);
  ThreadPast past;
  for (const ThreadRecord& record : page.records) TRY(reader.take(record, kForksMax, past));
  return past;
}

}  // namespace filecall::client
