// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/core/submission.h"
#include "os/unique_fd.h"
#include "spool/layout.h"
#include "spool/name_list.h"

namespace filecall::client {

/// The request files of a root, which a batch must not contradict. A file that appears meanwhile
/// may be missed: a drop never replaces one. One thread.
class ExistingRequests {
 public:
  explicit ExistingRequests(const spool::Layout& layout);

  /// False: no request file of that id exists, and nothing is in its way. After some questions all
  /// names are read and kept, unless they are very many: the kernel takes longer to look for a file
  /// that is not there than to tell a name.
  bool may_have(std::string_view id);
  /// Empty when the submission may be dropped: no request file of its id exists, or one that says
  /// the same (as JSON). Otherwise what is in the way, and what to do.
  std::string conflict(const Submission& submission) const;

 private:
  void read_names();

  spool::Layout layout_;
  UniqueFd folder_;  ///< Of requests/; closed: there is none, or it cannot be read.
  int asked_ = 0;    ///< Up to the number after which the names are read.
  std::optional<spool::NameHashSet> names_;  ///< All of the folder; nullopt: not known.
};

}  // namespace filecall::client
