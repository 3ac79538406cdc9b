// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "client/channel/request_channel.h"
#include "spool/publish.h"
#include "spool/response_watch.h"
#include "spool/root.h"

namespace filecall::client {

/// The channel that is a root directory: section 3 of the design. The one place of the client that
/// knows which file an answer's version stands for.
class DirectoryChannel final : public RequestChannel {
 public:
  /// `root` must outlive it.
  DirectoryChannel(spool::Root& root, Durability durability)
      : root_(root), durability_(durability) {}

  void drop(std::span<ChannelDrop> drops) override;
  bool has_request(std::string_view id) override;
  std::optional<WallTime> begun_at(std::string_view id) override;
  Result<std::optional<std::string>> read_request(std::string_view id) override;
  Result<void> send_cancel(std::string_view id, int attempt, CancelWish wish) override;
  Result<std::optional<ChannelAnswer>> read_answer(std::string_view id) override;
  bool is_own_request(std::string_view id) override;
  bool asks_to_discard() const override;
  Result<bool> discard_answer(std::string_view id, const AnswerVersion& version) override;
  Result<bool> set_aside(std::string_view id, const AnswerVersion& version, int attempt) override;
  Result<void> keep_own_answer(std::string_view id, std::string_view text) override;
  bool has_failed(std::string_view id) override;
  std::optional<Response> read_failed(std::string_view id) override;
  Result<bool> keep_answer_as_failed(std::string_view id) override;
  Result<void> keep_as_failed(const Response& failure) override;
  Result<void> remove_failed(std::string_view id) override;

  Result<void> listen(bool follows_requests, Interest interest, MonotonicTime now) override;
  int poll_fd() const override { return watch_->poll_fd(); }
  void on_readable(MonotonicTime now) override { watch_->on_readable(now); }
  Deadline next_wake() const override { return watch_->next_wake(); }
  void on_wake(MonotonicTime now) override { watch_->on_wake(now); }
  std::vector<ChannelHint> take_hints() override;
  void request_scan(MonotonicTime now) override { watch_->request_scan(now); }

 private:
  spool::Root& root_;
  Durability durability_;
  std::unique_ptr<spool::ResponseWatch> watch_;  ///< Since listen().
};

}  // namespace filecall::client
