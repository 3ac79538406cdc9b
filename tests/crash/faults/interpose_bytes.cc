// SPDX-License-Identifier: MIT
// Opening, reading, writing, syncing, closing.
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "handles.h"
#include "libc.h"
#include "plan.h"
#include "shadow.h"

namespace faults {
namespace {

constexpr std::string_view kBootId = "/proc/sys/kernel/random/boot_id";

bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

int open_at(int directory, const char* path, int flags, mode_t mode) {
  const auto real = [&] { return libc::openat(directory, path, flags, mode); };
  if (!is_on()) return real();
  const auto full = handles::resolve(directory, path);
  if (!full) {
    const bool is_boot_id = !plan().boot.empty() && path != nullptr && path == kBootId;
    const int fd = is_boot_id ? libc::openat(AT_FDCWD, plan().boot.c_str(), flags, mode) : real();
    handles::forget(fd);
    return fd;
  }
  return perform((flags & O_CREAT) != 0 ? Op::kCreate : Op::kOpen, *full, [&] {
    const shadow::Before before = shadow::before_open(*full, flags);
    const int fd = real();
    if (fd >= 0) handles::remember(fd, *full);
    shadow::after_open(fd, *full, before);
    return fd;
  });
}

template <typename Real>
ssize_t read_from(int fd, const Real& real) {
  const std::string* path = is_on() ? handles::find(fd) : nullptr;
  if (path == nullptr) return real();
  return perform(Op::kRead, *path, real);
}

/// `real(size)` writes that many of the bytes.
template <typename Real>
ssize_t write_to(int fd, std::size_t size, const Real& real) {
  const std::string* path = is_on() ? handles::find(fd) : nullptr;
  if (path == nullptr) return real(size);
  const Turn turn;
  const Verdict verdict = judge(Op::kWrite, *path);
  if (verdict == Verdict::kCrashBefore) crash();
  if (verdict == Verdict::kFail) {
    fail_with_planned_error();
    return -1;
  }
  shadow::before_write(fd);
  const bool half = verdict == Verdict::kShort || verdict == Verdict::kCrashTorn;
  const ssize_t written = real(half && size > 1 ? size / 2 : size);
  if (verdict == Verdict::kCrashAfter || verdict == Verdict::kCrashTorn) crash();
  return written;
}

template <typename Real>
int sync_of(int fd, const Real& real) {
  const std::string* path = is_on() ? handles::find(fd) : nullptr;
  if (path == nullptr) return real();
  const Turn turn;
  const Verdict verdict = judge(Op::kSync, *path);
  if (verdict == Verdict::kCrashBefore) crash();
  if (verdict == Verdict::kFail) {
    shadow::after_sync(fd, *path, false);
    fail_with_planned_error();
    return -1;
  }
  const int result = real();
  shadow::after_sync(fd, *path, result == 0);
  if (verdict == Verdict::kCrashAfter || verdict == Verdict::kCrashTorn) crash();
  return result;
}

int sync_all(int fd) {
  const std::string* path = is_on() ? handles::find(fd) : nullptr;
  if (path == nullptr) return libc::syncfs(fd);
  const Turn turn;
  const Verdict verdict = judge(Op::kSync, *path);
  if (verdict == Verdict::kCrashBefore) crash();
  const bool fails = verdict == Verdict::kFail;
  const int result = fails ? -1 : libc::syncfs(fd);
  shadow::after_sync_of_all(result == 0);
  if (fails) fail_with_planned_error();
  if (verdict == Verdict::kCrashAfter || verdict == Verdict::kCrashTorn) crash();
  return result;
}

int close_of(int fd) {
  const std::string* path = is_on() ? handles::find(fd) : nullptr;
  if (path == nullptr) return libc::close(fd);
  return perform(Op::kClose, *path, [fd] {
    handles::forget(fd);
    return libc::close(fd);
  });
}

int truncate_of(int fd, off_t size) {
  const std::string* path = is_on() ? handles::find(fd) : nullptr;
  if (path == nullptr) return libc::ftruncate(fd, size);
  return perform(Op::kTruncate, *path, [fd, size] {
    shadow::before_write(fd);
    return libc::ftruncate(fd, size);
  });
}

}  // namespace
}  // namespace faults

#define FAULTS_MODE_ARGUMENT(flags)   \
  mode_t mode = 0;                    \
  if (faults::has_mode(flags)) {      \
    va_list arguments;                \
    va_start(arguments, flags);       \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments);                \
  }

extern "C" {

int open(const char* path, int flags, ...) {
  FAULTS_MODE_ARGUMENT(flags)
  return faults::open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  FAULTS_MODE_ARGUMENT(flags)
  return faults::open_at(AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char* path, int flags, ...) {
  FAULTS_MODE_ARGUMENT(flags)
  return faults::open_at(directory, path, flags, mode);
}
int openat64(int directory, const char* path, int flags, ...) {
  FAULTS_MODE_ARGUMENT(flags)
  return faults::open_at(directory, path, flags, mode);
}
int creat(const char* path, mode_t mode) {
  return faults::open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
// What a fortified caller calls.
int __open_2(const char* path, int flags) { return faults::open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return faults::open_at(AT_FDCWD, path, flags, 0); }
int __openat_2(int fd, const char* path, int flags) { return faults::open_at(fd, path, flags, 0); }
int __openat64_2(int fd, const char* path, int flags) {
  return faults::open_at(fd, path, flags, 0);
}

ssize_t read(int fd, void* buffer, size_t size) {
  return faults::read_from(fd, [=] { return faults::libc::read(fd, buffer, size); });
}
ssize_t __read_chk(int fd, void* buffer, size_t size, size_t) { return read(fd, buffer, size); }
ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  return faults::read_from(fd, [=] { return faults::libc::pread(fd, buffer, size, offset); });
}
ssize_t pread64(int fd, void* buffer, size_t size, off64_t offset) {
  return pread(fd, buffer, size, offset);
}
ssize_t __pread_chk(int fd, void* buffer, size_t size, off_t offset, size_t) {
  return pread(fd, buffer, size, offset);
}
ssize_t __pread64_chk(int fd, void* buffer, size_t size, off64_t offset, size_t) {
  return pread(fd, buffer, size, offset);
}

ssize_t write(int fd, const void* buffer, size_t size) {
  return faults::write_to(fd, size,
                          [=](size_t part) { return faults::libc::write(fd, buffer, part); });
}
ssize_t pwrite(int fd, const void* buffer, size_t size, off_t offset) {
  return faults::write_to(
      fd, size, [=](size_t part) { return faults::libc::pwrite(fd, buffer, part, offset); });
}
ssize_t pwrite64(int fd, const void* buffer, size_t size, off64_t offset) {
  return pwrite(fd, buffer, size, offset);
}

int fsync(int fd) {
  return faults::sync_of(fd, [fd] { return faults::libc::fsync(fd); });
}
int fdatasync(int fd) {
  return faults::sync_of(fd, [fd] { return faults::libc::fdatasync(fd); });
}
int syncfs(int fd) noexcept { return faults::sync_all(fd); }
int ftruncate(int fd, off_t size) noexcept { return faults::truncate_of(fd, size); }
int ftruncate64(int fd, off64_t size) noexcept { return faults::truncate_of(fd, size); }

int close(int fd) { return faults::close_of(fd); }
int fclose(FILE* file) {
  faults::handles::forget(::fileno(file));
  return faults::libc::fclose(file);
}

}  // extern "C"
