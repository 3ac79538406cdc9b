// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/hash.h"
#include "base/result.h"
#include "ipc/worker_status.h"
#include "spool/directory_source.h"
#include "spool/lock.h"
#include "spool/root.h"
#include "spool/source.h"
#include "worker/core/dispatcher.h"
#include "worker/core/recovery_plan.h"

namespace filecall::worker {

/// One root while this worker serves it: its lock, its source, and what is known of its requests.
/// Loop thread only.
struct RootSession {
  int index = 0;
  std::string path;
  std::unique_ptr<spool::FileLock> lock;
  std::unique_ptr<spool::Source> source;

  /// Whether the lock still protects this root: false once worker/ was removed or replaced, when
  /// another worker may hold a lock of the same name.
  bool owns_root() const { return lock->is_still_at(spool::Layout(path).worker_lock()); }
  /// Requests that an earlier run started and never answered.
  std::unordered_map<std::string, spool::StartRecordName, StringHash, std::equal_to<>> interrupted;
  /// Requests accepted and not yet answered.
  std::unordered_map<std::string, JobId, StringHash, std::equal_to<>> jobs;
  WorkerStatus::Counts counts;  ///< success and error; the rest is asked for when needed.
};

struct RootSessionOptions {
  spool::DirectorySourceOptions source;
  bool allow_shared_root = false;
};

/// Opens a root, takes its worker lock and reads what an earlier run left.
/// Failures: those of spool::Root::open; unavailable: another worker serves this root.
Result<std::unique_ptr<RootSession>> open_root_session(int index, const std::string& path,
                                                       const RootSessionOptions& options,
                                                       MonotonicTime now);

}  // namespace filecall::worker
