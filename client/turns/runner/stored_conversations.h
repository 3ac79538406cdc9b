// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "base/result.h"
#include "client/batch/batch.h"
#include "client/turns/conversation.h"
#include "spool/layout.h"

namespace filecall::client {

/// All that a batch has asked or would ask first, by the answers that lie in the root: of a
/// conversation each request that was answered, and the next one. Asks nothing. One thread.
class StoredConversations final : public SubmissionFeed {
 public:
  /// `guesses`: behind the next request come those of the turns after it, as they would be if every
  /// answer were short.
  StoredConversations(std::unique_ptr<BatchSubmissions> batch, spool::Layout layout, bool guesses)
      : batch_(std::move(batch)), layout_(std::move(layout)), guesses_(guesses) {}

  Result<Offer> next() override;
  std::int64_t conversations() const { return conversations_; }

 private:
  Result<void> walk(Submission first);

  std::unique_ptr<BatchSubmissions> batch_;
  spool::Layout layout_;
  bool guesses_;
  std::int64_t conversations_ = 0;
  std::deque<Submission> ready_;
};

}  // namespace filecall::client
