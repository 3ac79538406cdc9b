// SPDX-License-Identifier: MIT
#include "client/engine/thread_desk.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace filecall::client {

Result<std::unique_ptr<ThreadDesk>> ThreadDesk::open(Clerk clerk) {
  UniqueFd done_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!done_fd.is_open()) return fail_errno(errno, "eventfd");
  return std::unique_ptr<ThreadDesk>(new ThreadDesk(std::move(clerk), std::move(done_fd)));
}

ThreadDesk::ThreadDesk(Clerk clerk, UniqueFd done_fd)
    : clerk_(std::move(clerk)),
      done_fd_(std::move(done_fd)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

void ThreadDesk::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, stop, [this] { return batch_ != nullptr; });
    if (batch_ == nullptr) return;  // Asked to stop.
    DeskBatch& batch = *batch_;
    lock.unlock();
    clerk_.carry_out(batch);
    lock.lock();
    batch_ = nullptr;
    is_done_ = true;
    changed_.notify_all();
    const std::uint64_t one = 1;
    // Cannot fail: the counter is far from its end.
    (void)!::write(done_fd_.get(), &one, sizeof one);
  }
}

void ThreadDesk::hand_in(DeskBatch& batch) {
  {
    const std::scoped_lock lock(mutex_);
    CHECK(batch_ == nullptr && !is_done_, "one batch at a time");
    batch_ = &batch;
  }
  changed_.notify_all();
}

bool ThreadDesk::take_back() {
  const std::scoped_lock lock(mutex_);
  if (!is_done_) return false;
  is_done_ = false;
  std::uint64_t count = 0;
  (void)!::read(done_fd_.get(), &count, sizeof count);
  return true;
}

void ThreadDesk::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return batch_ == nullptr; });
}

}  // namespace filecall::client
