// SPDX-License-Identifier: MIT
#include "client/doctor/doctor.h"

#include <sys/stat.h>
#include <unistd.h>

#include "client/doctor/checks.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

bool owns(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && info.st_uid == ::geteuid();
}

}  // namespace

Findings examine(const DoctorOptions& options) {
  const spool::Layout layout = spool::layout_of(options.root);
  Findings findings;
  if (!check_root(layout, options.allow_shared_root, findings)) {
    check_programs(findings);
    check_sandbox(findings);
    check_config(options.worker_config, "", findings);
    check_policy("", findings);
    return findings;
  }
  check_place(layout, findings);
  check_file_system(layout, findings);
  const bool is_ours = owns(layout.root());
  if (is_ours) check_events(layout, findings);
  check_disk(layout, findings);
  if (is_ours) check_clock(layout, findings);
  if (!is_ours) {
    findings.push_back({Severity::kNote, "root",
                        "another user's: nothing was written there, so events and the file "
                        "system's clock were not tried",
                        "run 'filecall doctor' as its owner to try them"});
  }
  check_programs(findings);
  check_sandbox(findings);
  check_config(options.worker_config, layout.root(), findings);
  check_policy(layout.root(), findings);
  check_worker(layout, findings);
  return findings;
}

}  // namespace filecall::client
