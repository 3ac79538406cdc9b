// SPDX-License-Identifier: MIT
#include "worker/proc/guard/passed_descriptors.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace filecall::worker::guard {
namespace {

constexpr std::size_t kPassedBytes = kPassedMax * sizeof(int);

int take_descriptors(struct msghdr* header, int* fds, int room) {
  int count = 0;
  for (struct cmsghdr* part = CMSG_FIRSTHDR(header); part != nullptr;
       part = CMSG_NXTHDR(header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t size = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < size; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      if (count < room) {
        fds[count++] = fd;
      } else {
        ::close(fd);
      }
    }
  }
  return count;
}

}  // namespace

ssize_t receive_with_descriptors(int socket, void* data, std::size_t size, int* fds, int* count) {
  struct iovec part {
    data, size
  };
  alignas(struct cmsghdr) char control[CMSG_SPACE(kPassedBytes)];
  struct msghdr header {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  *count = got < 0 ? 0 : take_descriptors(&header, fds, *count);
  return got;
}

bool send_with_descriptors(int socket, const void* data, std::size_t size, const int* fds,
                           int count) {
  struct iovec data_part {
    const_cast<void*>(data), size
  };
  alignas(struct cmsghdr) char control[CMSG_SPACE(kPassedBytes)] = {};
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
  struct msghdr header {};
  header.msg_iov = &data_part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = CMSG_SPACE(bytes);
  struct cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(part), fds, bytes);
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

bool close_others(int first, std::initializer_list<int> kept) {
  std::vector<int> places(kept);
  std::sort(places.begin(), places.end());
  for (const int place : places) {
    if (place < first) continue;
    if (place > first &&
        ::close_range(static_cast<unsigned>(first), static_cast<unsigned>(place) - 1, 0) != 0) {
      return false;
    }
    first = place + 1;
  }
  return ::close_range(static_cast<unsigned>(first), ~0U, 0) == 0;
}

}  // namespace filecall::worker::guard
