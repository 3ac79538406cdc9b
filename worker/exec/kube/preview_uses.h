// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "os/unique_fd.h"
#include "worker/exec/kube/model/preview_digest.h"

namespace filecall::worker::kube {

/// Which previews have been used up by a write: one empty file each in `directory`/previews-used,
/// shared by all workers of one user and kept over a restart, removed once the preview has expired.
/// Without a directory: in memory. Loop thread only.
class PreviewUses {
 public:
  PreviewUses(std::string directory, std::int64_t validity_s)
      : directory_(std::move(directory)), validity_s_(validity_s) {}

  /// To be called just before the write is sent. Failures: failed_precondition (used up already),
  /// permission_denied (others may write to the folder), those of writing the file: then it must
  /// not be sent.
  Result<void> take(const PreviewStamp& stamp, std::int64_t now_s);
  /// The server said that it did not carry the write out.
  void give_back(const PreviewStamp& stamp);

 private:
  Result<UniqueFd> open_folder() const;

  const std::string directory_;
  const std::int64_t validity_s_;
  std::map<std::string, std::int64_t> in_memory_;  ///< Id, and when it was issued.
};

}  // namespace filecall::worker::kube
