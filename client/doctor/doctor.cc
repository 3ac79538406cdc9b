// SPDX-License-Identifier: MIT
#include "client/doctor/doctor.h"

#include "client/doctor/checks.h"

namespace filecall::client {

Findings examine(const DoctorOptions& options) {
  const spool::Layout layout(options.root);
  Findings findings;
  if (!check_root(layout, options.allow_shared_root, findings)) {
    check_programs(findings);
    check_sandbox(findings);
    check_config(options.worker_config, findings);
    return findings;
  }
  check_file_system(layout, findings);
  check_events(layout, findings);
  check_disk(layout, findings);
  check_clock(layout, findings);
  check_programs(findings);
  check_sandbox(findings);
  check_config(options.worker_config, findings);
  check_worker(layout, findings);
  return findings;
}

}  // namespace filecall::client
