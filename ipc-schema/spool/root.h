// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::spool {

/// Open descriptors of a root's directories at one point in time. Immutable; shared with the
/// threads that publish, so that a replaced directory cannot be closed under them. When a root was
/// opened with `create` false, everything but requests and responses may be missing (not open).
struct Directories {
  UniqueFd root;
  UniqueFd requests;
  UniqueFd responses;
  UniqueFd failed;
  UniqueFd worker;
  UniqueFd worker_tmp;
  UniqueFd worker_started;
  UniqueFd worker_late;
  UniqueFd worker_journal;
  UniqueFd client_tmp;
  /// worker/tmp and worker/started are on the mount of responses/, so a rename can publish from
  /// there. Otherwise answers are staged as dot files in responses/.
  bool staging_is_shared = true;
  /// The same for client/tmp and requests/.
  bool drop_is_shared = true;
};

struct RootOptions {
  /// Accept a root that others own or may write; what others may write needs the sticky bit.
  bool allow_shared = false;
  /// Create what is missing (0700).
  bool create = true;
};

/// A root directory that was checked and opened. Loop thread only, except directories(). Movable.
class Root {
 public:
  /// Failures: permission_denied (owned or writable by others: the message says by whom, and names
  /// --allow-shared-root; with it: writable by others without the sticky bit), failed_precondition
  /// (one of its directories is a symbolic link), not_found (create is false), and what the system
  /// calls return.
  static Result<Root> open(const std::string& path, const RootOptions& options);

  const Layout& layout() const { return layout_; }
  std::shared_ptr<const Directories> directories() const;

  /// Compares device and inode of requests/ and responses/ with what the paths name now and
  /// reopens all when one was renamed away, replaced or mounted over. True: reopened.
  /// `create_missing` false fails with not_found rather than make a directory that somebody may be
  /// about to move in.
  Result<bool> reopen_if_replaced(bool create_missing = true);

 private:
  /// Behind a pointer so that a Root can move while other threads ask for directories().
  struct Current {
    std::mutex mutex;
    std::shared_ptr<const Directories> directories;
  };

  Root(Layout layout, RootOptions options, std::shared_ptr<const Directories> directories);

  Layout layout_;
  RootOptions options_;
  std::unique_ptr<Current> current_;
};

}  // namespace filecall::spool
