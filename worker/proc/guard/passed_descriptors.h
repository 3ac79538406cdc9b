// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <initializer_list>

/// Descriptors on their way from process to process, and what a process keeps of its own.
namespace filecall::worker::guard {

/// At most so many go with one message.
inline constexpr int kPassedMax = 8;

/// As recv(); waits. `fds` has room for `*count`, and `*count` are in it afterwards, close-on-exec
/// and the caller's; those beyond are closed.
ssize_t receive_with_descriptors(int socket, void* data, std::size_t size, int* fds, int* count);

/// True when all of it was sent.
bool send_with_descriptors(int socket, const void* data, std::size_t size, const int* fds,
                           int count);

/// Closes all descriptors from `first` on, but for those to keep (-1: none).
bool close_others(int first, std::initializer_list<int> kept);

}  // namespace filecall::worker::guard
