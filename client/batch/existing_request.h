// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/engine/orchestrator.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::client {

/// The request files of a root, which a batch must not contradict. One thread.
class ExistingRequests {
 public:
  explicit ExistingRequests(const spool::Layout& layout);

  /// Empty when the submission may be dropped: no request file of its id exists, or one that says
  /// the same (as JSON). Otherwise what is in the way, and what to do.
  std::string conflict(const Submission& submission) const;

 private:
  spool::Layout layout_;
  UniqueFd folder_;  ///< Of requests/; closed: there is none, or it cannot be read.
};

}  // namespace filecall::client
