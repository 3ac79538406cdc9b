// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/hash.h"
#include "base/time.h"
#include "worker/core/dispatcher.h"
#include "worker/engine/root_files.h"
#include "worker/engine/source.h"

namespace filecall::worker {

/// One source while this worker serves it, and what is known of its requests. Loop thread only.
struct Session {
  int index = 0;               ///< Its number among the worker's sources: the dispatcher's `root`.
  std::string path;            ///< The root's path, for messages, tools' directories and cancels.
  Source* source = nullptr;    ///< Outlives it.
  RootFiles* files = nullptr;  ///< Of a source that has files; the same.

  /// Requests accepted and not yet answered.
  std::unordered_map<std::string, JobId, StringHash, std::equal_to<>> jobs;
  std::int64_t successes = 0;  ///< Answers that counted, by kind.
  std::int64_t errors = 0;
  std::size_t undelivered = 0;  ///< Answers handed to the source and not yet done.
  Deadline next_extension;      ///< Where holding is a lease.

  bool is_shared() const { return files != nullptr && files->is_shared(); }
};

}  // namespace filecall::worker
