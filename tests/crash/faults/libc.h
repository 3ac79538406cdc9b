// SPDX-License-Identifier: MIT
#pragma once

#include <dirent.h>
#include <dlfcn.h>
#include <sys/types.h>

#include <cstdio>
#include <cstdlib>

/// The functions of libc that this library stands before, as libc has them.
namespace faults::libc {

template <typename Function>
Function* next(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

inline int openat(int directory, const char* path, int flags, mode_t mode) {
  static auto* const fn = next<int(int, const char*, int, ...)>("openat");
  return fn(directory, path, flags, mode);
}
inline int close(int fd) {
  static auto* const fn = next<int(int)>("close");
  return fn(fd);
}
inline ssize_t read(int fd, void* buffer, std::size_t size) {
  static auto* const fn = next<ssize_t(int, void*, std::size_t)>("read");
  return fn(fd, buffer, size);
}
inline ssize_t pread(int fd, void* buffer, std::size_t size, off_t offset) {
  static auto* const fn = next<ssize_t(int, void*, std::size_t, off_t)>("pread");
  return fn(fd, buffer, size, offset);
}
inline ssize_t write(int fd, const void* buffer, std::size_t size) {
  static auto* const fn = next<ssize_t(int, const void*, std::size_t)>("write");
  return fn(fd, buffer, size);
}
inline ssize_t pwrite(int fd, const void* buffer, std::size_t size, off_t offset) {
  static auto* const fn = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  return fn(fd, buffer, size, offset);
}
inline int fsync(int fd) {
  static auto* const fn = next<int(int)>("fsync");
  return fn(fd);
}
inline int syncfs(int fd) {
  static auto* const fn = next<int(int)>("syncfs");
  return fn(fd);
}
inline int fdatasync(int fd) {
  static auto* const fn = next<int(int)>("fdatasync");
  return fn(fd);
}
inline int ftruncate(int fd, off_t size) {
  static auto* const fn = next<int(int, off_t)>("ftruncate");
  return fn(fd, size);
}
inline int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  static auto* const fn = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return fn(from_fd, from, to_fd, to, flags);
}
inline int linkat(int from_fd, const char* from, int to_fd, const char* to, int flags) {
  static auto* const fn = next<int(int, const char*, int, const char*, int)>("linkat");
  return fn(from_fd, from, to_fd, to, flags);
}
inline int unlinkat(int directory, const char* path, int flags) {
  static auto* const fn = next<int(int, const char*, int)>("unlinkat");
  return fn(directory, path, flags);
}
inline int mkdirat(int directory, const char* path, mode_t mode) {
  static auto* const fn = next<int(int, const char*, mode_t)>("mkdirat");
  return fn(directory, path, mode);
}
inline ssize_t getdents64(int fd, void* buffer, std::size_t size) {
  static auto* const fn = next<ssize_t(int, void*, std::size_t)>("getdents64");
  return fn(fd, buffer, size);
}
inline struct dirent* readdir(DIR* directory) {
  static auto* const fn = next<struct dirent*(DIR*)>("readdir");
  return fn(directory);
}
inline int closedir(DIR* directory) {
  static auto* const fn = next<int(DIR*)>("closedir");
  return fn(directory);
}
inline int fclose(FILE* file) {
  static auto* const fn = next<int(FILE*)>("fclose");
  return fn(file);
}
inline int inotify_add_watch(int fd, const char* path, std::uint32_t mask) {
  static auto* const fn = next<int(int, const char*, std::uint32_t)>("inotify_add_watch");
  return fn(fd, path, mask);
}

}  // namespace faults::libc
