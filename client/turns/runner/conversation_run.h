// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "client/batch/batch.h"
#include "client/engine/orchestrator.h"
#include "client/turns/conversation.h"
#include "client/turns/transcript.h"
#include "spool/layout.h"

namespace filecall::client {

/// A conversation that is over.
struct ConversationEnd {
  const Conversation& conversation;
  ConversationCounts counts;
  int attempts = 1;             ///< One, and the retries of all of its requests.
  std::int64_t latency_ms = 0;  ///< The sum of its requests'.
};

/// Hears of conversations beside all else of a run. Must not block.
class ConversationObserver {
 public:
  virtual ~ConversationObserver() = default;
  /// A request of a conversation has ended. `is_tolerated`: a tool's failure, which goes to
  /// the model as a result. Other requests come by RunObserver::on_outcome().
  virtual void on_step(const RequestOutcome& outcome, bool is_tolerated) = 0;
  /// `last`: the request that ended it.
  virtual void on_conversation(const ConversationEnd& end, const RequestOutcome& last) = 0;
  /// There are so many more requests than was known before; below 0: so many will not be asked.
  virtual void on_requests_added(std::int64_t added) = 0;
};

/// Drives the conversations of a batch: stands between the batch and the engine, which asks it for
/// the next request and tells it what became of each. Requests that begin no conversation pass
/// through. Keeps only conversations that are going on: as many as the engine's window. After a
/// crash the same batch leads to the same requests: those that have ended are not asked again. One
/// thread.
class ConversationRun final : public SubmissionFeed, public RunObserver {
 public:
  /// All must outlive it.
  ConversationRun(BatchSubmissions& batch, const spool::Layout& layout, RunObserver& observer,
                  ConversationObserver& conversations)
      : batch_(batch), layout_(layout), observer_(observer), conversations_(conversations) {}

  Result<Offer> next() override;
  bool is_open_ended() const override { return has_conversations_; }
  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress& progress) override { observer_.on_progress(progress); }
  void on_notice(const std::string& text) override { observer_.on_notice(text); }

 private:
  struct Active {
    explicit Active(Conversation begun) : conversation(std::move(begun)) {}
    Conversation conversation;
    int attempts = 1;
    std::int64_t latency_ms = 0;
  };
  using Shared = std::shared_ptr<Active>;
  Result<void> begin(Submission first);
  void ask(const Shared& active);
  void advance(const Shared& active, const RequestOutcome& outcome);

  BatchSubmissions& batch_;
  const spool::Layout& layout_;
  RunObserver& observer_;
  ConversationObserver& conversations_;
  std::deque<Submission> ready_;
  std::map<std::string, Shared, std::less<>> waiting_;  ///< By requests that have not ended.
  bool has_conversations_ = false;
  bool is_exhausted_ = false;
};

/// The request file of a conversation's request.
Submission submission_of(const Conversation::Ask& ask);

}  // namespace filecall::client
