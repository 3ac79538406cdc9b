// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// What a confined program tries: each attempt takes its line's words and gives 0 or an errno
/// value.
using Words = std::vector<std::string>;
using Attempt = std::function<int(const Words&)>;
using Attempts = std::map<std::string, Attempt>;

/// 0 when the call did what it was asked, else errno.
inline int errno_of(long result) { return result >= 0 ? 0 : errno; }

inline int open_with(const std::string& path, int flags) {
  return errno_of(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600));
}

inline int read_something(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  char byte = 0;
  const ssize_t size = ::read(fd, &byte, 1);
  if (size < 0) return errno;
  return size == 0 ? ENODATA : 0;
}

/// Leaves a process that holds a lock on `path`, in a session of its own, with closed descriptors.
int leave_daemon(const std::string& path);

void add_files(Attempts* all);
void add_talk(Attempts* all);
void add_others(Attempts* all);
void add_calls(Attempts* all);
