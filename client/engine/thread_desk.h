// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "client/engine/clerk.h"
#include "client/engine/desk.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// A desk with a thread of its own.
class ThreadDesk final : public Desk {
 public:
  /// Failure: no descriptor is left.
  static Result<std::unique_ptr<ThreadDesk>> open(Clerk clerk);
  /// A batch that is there is finished first.
  ~ThreadDesk() override = default;

  void hand_in(DeskBatch& batch) override;
  bool take_back() override;
  void wait() override;
  int poll_fd() const override { return done_fd_.get(); }

 private:
  ThreadDesk(Clerk clerk, UniqueFd done_fd);
  void work(const std::stop_token& stop);

  Clerk clerk_;
  UniqueFd done_fd_;  ///< An eventfd.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  DeskBatch* batch_ = nullptr;  ///< The thread's.
  bool is_done_ = false;        ///< A batch was done and not taken back.
  std::jthread thread_;
};

}  // namespace filecall::client
