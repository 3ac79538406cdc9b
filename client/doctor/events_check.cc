// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/random.h"
#include "client/doctor/checks.h"
#include "os/io.h"
#include "os/process.h"

namespace filecall::client {
namespace {

constexpr int kPatienceMs = 1000;
constexpr std::int64_t kQueueMin = 16'384;
constexpr std::int64_t kWatchesMin = 8'192;
constexpr std::int64_t kInstancesMin = 128;

std::int64_t kernel_limit(const std::string& name) {
  const auto text = read_file("/proc/sys/fs/inotify/" + name, 64);
  std::int64_t value = -1;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

void check_limit(const std::string& name, std::int64_t minimum, Findings& findings) {
  const std::int64_t value = kernel_limit(name);
  if (value < 0) return;
  const std::string fact = fmt::format("fs.inotify.{} = {}", name, value);
  if (value >= minimum) {
    findings.push_back({Severity::kGood, "events", fact, ""});
  } else {
    findings.push_back({Severity::kNote, "events", fact + ", which is little",
                        fmt::format("sysctl fs.inotify.{}={}", name, minimum)});
  }
}

/// Watches requests/ and creates a dot file there, which no worker takes for a request.
std::string probe_problem(const std::string& directory) {
  const UniqueFd events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!events.is_open()) return fmt::format("inotify_init1: {}", strerror(errno));
  if (::inotify_add_watch(events.get(), directory.c_str(), IN_CREATE) < 0) {
    return fmt::format("inotify_add_watch: {}", strerror(errno));
  }
  const std::string probe = fmt::format("{}/.doctor-{}", directory, Random(random_seed()).hex(8));
  const auto file = open_file(probe, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return file.error().message;
  ::unlink(probe.c_str());
  pollfd wait{events.get(), POLLIN, 0};
  if (::poll(&wait, 1, kPatienceMs) == 1) return {};
  return "no event came for a new file within a second";
}

}  // namespace

void check_events(const spool::Layout& layout, Findings& findings) {
  if (::access(layout.requests().c_str(), F_OK) != 0) return;
  const std::string problem = probe_problem(layout.requests());
  if (problem.empty()) {
    findings.push_back({Severity::kGood, "events", "inotify tells of new files", ""});
  } else {
    findings.push_back({Severity::kNote, "events", problem,
                        "both programs poll instead: slower, and it costs CPU. Use a local file "
                        "system, or raise fs.inotify.max_user_watches and max_user_instances"});
  }
  check_limit("max_queued_events", kQueueMin, findings);
  check_limit("max_user_watches", kWatchesMin, findings);
  check_limit("max_user_instances", kInstancesMin, findings);
}

}  // namespace filecall::client
