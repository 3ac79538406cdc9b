// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

/// What both ends of the benchmark share: the fewest system calls that speak the protocol. No
/// error handling beyond "stop": a benchmark that goes on after an error measures nothing.
namespace filecall::bench {

inline void must(bool condition, const char* what) {
  if (condition) return;
  std::perror(what);
  std::exit(1);
}

inline std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

inline int open_directory(const std::string& path) {
  mkdir(path.c_str(), 0700);
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  must(fd >= 0, path.c_str());
  return fd;
}

/// temp in `stage_fd`, rename to `target_fd`/`name`; `is_synced`: fsync before the rename.
inline void publish(int stage_fd, const char* temp, int target_fd, const char* name,
                    const char* bytes, std::size_t size, bool is_synced) {
  const int fd = openat(stage_fd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  must(fd >= 0, temp);
  must(write(fd, bytes, size) == static_cast<ssize_t>(size), "write");
  if (is_synced) must(fsync(fd) == 0, "fsync");
  close(fd);
  must(renameat(stage_fd, temp, target_fd, name) == 0, name);
}

/// Reads a whole small file; returns its size, or -1 when it is not there.
inline ssize_t read_small(int directory_fd, const char* name, char* buffer, std::size_t size) {
  const int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t got = read(fd, buffer, size);
  close(fd);
  return got;
}

/// Calls `on_name` for every event with a name in one batch read from `inotify_fd`; `on_overflow`
/// when the kernel's queue ran over.
template <typename OnName, typename OnOverflow>
void read_events(int inotify_fd, OnName on_name, OnOverflow on_overflow) {
  alignas(inotify_event) static thread_local char buffer[64 * 1024];
  const ssize_t size = read(inotify_fd, buffer, sizeof buffer);
  must(size > 0, "read inotify");
  for (ssize_t at = 0; at < size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
    if (event->mask & IN_Q_OVERFLOW) on_overflow();
    if (event->len > 0) on_name(event->name);
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
}

}  // namespace filecall::bench
