// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/random.h"
#include "base/time.h"
#include "client/doctor/checks.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/process.h"

namespace filecall::client {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kFreeMinMiB = 256;
constexpr std::uint64_t kFreeFilesMin = 10'000;
constexpr std::int64_t kClockSkewMaxMs = 2000;

}  // namespace

void check_disk(const spool::Layout& layout, Findings& findings) {
  struct statvfs info {};
  if (::statvfs(layout.root().c_str(), &info) != 0) return;
  const double free_mib =
      static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / kMiB;
  const std::string space = fmt::format("{:.1f} GiB free", free_mib / 1024);
  if ((info.f_flag & ST_RDONLY) != 0) {
    findings.push_back({Severity::kProblem, "disk", "mounted read-only",
                        "remount it writable, or name another root"});
  } else if (free_mib < kFreeMinMiB) {
    findings.push_back({Severity::kProblem, "disk", space,
                        "free some space, e.g. 'filecall gc --older-than 30d'; with a full disk "
                        "responses wait in memory and nothing new is taken"});
  } else {
    findings.push_back({Severity::kGood, "disk", space, ""});
  }
  if (info.f_files == 0) return;  // The file system makes inodes as it goes.
  const std::string files = fmt::format("{} inodes free", info.f_favail);
  if (info.f_favail < kFreeFilesMin) {
    findings.push_back({Severity::kProblem, "disk", files,
                        "remove files, e.g. 'filecall gc --older-than 30d': a request needs three "
                        "or more"});
  } else {
    findings.push_back({Severity::kGood, "disk", files, ""});
  }
}

void check_clock(const spool::Layout& layout, Findings& findings) {
  const bool has_client = ::access(layout.client().c_str(), W_OK | X_OK) == 0;
  const std::string probe = fmt::format(
      "{}/.doctor-{}", has_client ? layout.client() : layout.root(), Random(random_seed()).hex(8));
  const auto file = open_file(probe, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) {
    findings.push_back({Severity::kProblem, "clock", file.error().message,
                        "make the root writable for this user"});
    return;
  }
  struct stat info {};
  const bool is_written =
      write_all(file->get(), "x", probe).has_value() && ::fstat(file->get(), &info) == 0;
  const WallTime now = wall_now();
  ::unlink(probe.c_str());
  if (!is_written) {
    findings.push_back({Severity::kProblem, "disk", "a probe file could not be written",
                        "look at free space, quota and the kernel's log"});
    return;
  }
  const std::int64_t skew_ms = to_ms(now - wall_time_of(info.st_mtim));
  if (std::abs(skew_ms) > kClockSkewMaxMs) {
    findings.push_back(
        {Severity::kNote, "clock",
         fmt::format("the file system's clock is {} ms {} ours", std::abs(skew_ms),
                     skew_ms > 0 ? "behind" : "ahead of"),
         "synchronize both machines (chrony, systemd-timesyncd): settle times and ages are wrong"});
  } else {
    findings.push_back({Severity::kGood, "clock", "agrees with the file system's", ""});
  }
}

}  // namespace filecall::client
