// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD: the wall clock of the program is off by what a file says, in seconds,
// as a little-endian 64-bit number. WALL_CLOCK_FILE names it; whoever writes it makes the clock
// jump. The monotonic clock stays as it is.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Offset = std::atomic<std::int64_t>;

const Offset* map_offset() {
  static const Offset none = 0;
  const char* path = std::getenv("WALL_CLOCK_FILE");
  if (path == nullptr) return &none;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) std::abort();
  const void* page = ::mmap(nullptr, sizeof(Offset), PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (page == MAP_FAILED) std::abort();
  return static_cast<const Offset*>(page);
}

std::int64_t offset_s() {
  static const Offset* const offset = map_offset();
  return offset->load(std::memory_order_relaxed);
}

int real_clock_gettime(clockid_t clock, struct timespec* now) {
  using Function = int(clockid_t, struct timespec*);
  static auto* const next = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, "clock_gettime"));
  return next(clock, now);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  const int result = real_clock_gettime(clock, now);
  const bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (result == 0 && is_wall) now->tv_sec += offset_s();
  return result;
}

int gettimeofday(struct timeval* now, void*) noexcept {
  struct timespec exact {};
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) noexcept {
  struct timespec exact {};
  clock_gettime(CLOCK_REALTIME, &exact);
  if (out != nullptr) *out = exact.tv_sec;
  return exact.tv_sec;
}

}  // extern "C"
