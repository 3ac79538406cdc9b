// SPDX-License-Identifier: MIT
#include "client/engine/any_descriptor.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

namespace filecall::client {

Result<UniqueFd> any_descriptor(std::initializer_list<int> fds) {
  if (std::all_of(fds.begin(), fds.end(), [](int fd) { return fd < 0; })) return UniqueFd();
  UniqueFd any(::epoll_create1(EPOLL_CLOEXEC));
  if (!any.is_open()) return fail_errno(errno, "epoll");
  for (const int fd : fds) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (fd >= 0 && ::epoll_ctl(any.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return fail_errno(errno, "epoll");
    }
  }
  return any;
}

}  // namespace filecall::client
