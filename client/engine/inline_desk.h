// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "base/check.h"
#include "client/engine/clerk.h"
#include "client/engine/desk.h"

namespace filecall::client {

/// A desk without a thread: hand_in() returns when the batch is done. For durability `none`, where
/// no step waits for a disk: a second thread costs more in wake-ups there than it takes over. It
/// blocks while another client commits to the same state database, some milliseconds; who must
/// never wait takes a ThreadDesk. One thread.
class InlineDesk final : public Desk {
 public:
  explicit InlineDesk(Clerk clerk) : clerk_(std::move(clerk)) {}

  void hand_in(DeskBatch& batch) override {
    CHECK(!is_done_, "one batch at a time");
    clerk_.carry_out(batch);
    is_done_ = true;
  }
  bool take_back() override { return std::exchange(is_done_, false); }
  void wait() override {}
  int poll_fd() const override { return -1; }

 private:
  Clerk clerk_;
  bool is_done_ = false;  ///< A batch was done and not taken back.
};

}  // namespace filecall::client
