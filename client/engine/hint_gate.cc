// SPDX-License-Identifier: MIT
#include "client/engine/hint_gate.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace filecall::client {
namespace {

constexpr Duration kGatherFor = milliseconds(1);

Result<void> change(const UniqueFd& poll_fd, int operation, int fd, bool is_heard) {
  epoll_event event{};
  if (is_heard) event.events = EPOLLIN;
  if (fd >= 0 && ::epoll_ctl(poll_fd.get(), operation, fd, &event) != 0) {
    return fail_errno(errno, "epoll");
  }
  return {};
}

}  // namespace

Result<void> HintGate::open(int desk_fd) {
  if (desk_fd < 0 && channel_.poll_fd() < 0) return {};
  poll_fd_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll_fd_.is_open()) return fail_errno(errno, "epoll");
  TRY(change(poll_fd_, EPOLL_CTL_ADD, desk_fd, true));
  return change(poll_fd_, EPOLL_CTL_ADD, channel_.poll_fd(), true);
}

Deadline HintGate::next_wake() const {
  const Deadline wake = channel_.next_wake();
  return is_gathering_ ? std::min(wake, Deadline::at(next_take_)) : wake;
}

std::vector<ChannelHint> HintGate::take(MonotonicTime now) {
  if (channel_.poll_fd() >= 0) channel_.on_readable(now);
  if (channel_.next_wake().is_reached(now)) channel_.on_wake(now);
  return channel_.take_hints();
}

void HintGate::gather(bool is_gathering, MonotonicTime now) {
  next_take_ = now + kGatherFor;
  if (std::exchange(is_gathering_, is_gathering) == is_gathering) return;
  const auto changed = change(poll_fd_, EPOLL_CTL_MOD, channel_.poll_fd(), !is_gathering);
  CHECK(changed.has_value(), "the descriptor was added");
}

}  // namespace filecall::client
