// SPDX-License-Identifier: MIT
#include "os/process.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "base/random.h"
#include "os/clock.h"
#include "os/io.h"

namespace filecall {

std::string boot_id() {
  auto text = read_file("/proc/sys/kernel/random/boot_id", 256);
  if (!text) return "";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

std::string executable_directory() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return ".";
  const std::string text(path, static_cast<std::size_t>(size));
  return text.substr(0, text.rfind('/'));
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  // Fails only on kernels older than 3.17; the clock is then good enough for jitter and ids.
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    seed = static_cast<std::uint64_t>(monotonic_now().time_since_epoch().count());
  }
  return seed;
}

std::string host_name() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  return host;
}

std::string make_instance_id() {
  return fmt::format("{}-{}-{}", host_name(), ::getpid(), Random(random_seed()).hex(8));
}

void forbid_core_dumps() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) == 0) {
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &limit);
  }
#ifndef __SANITIZE_ADDRESS__  // Its search for leaks is a debugger.
  ::prctl(PR_SET_DUMPABLE, 0);
#endif
}

void raise_descriptor_limit(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace filecall
