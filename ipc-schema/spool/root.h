// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::spool {

/// Of files that are their owner's alone.
inline constexpr mode_t kOwnFileMode = 0600;
/// Of files that the members of a group read: requests, responses, events.
inline constexpr mode_t kGroupFileMode = 0640;

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
  /// Of requests, responses and events.
  mode_t file_mode = kOwnFileMode;
  /// Of a group's root, opened by a client: it drives only what this user dropped.
  std::optional<uid_t> user = std::nullopt;
  /// And this user may change nothing of the others'.
  bool is_members = false;
};

struct RootOptions {
  /// Accept a root that others own or may write; what others may write needs the sticky bit.
  bool allow_shared = false;
  /// Create what is missing (0700).
  bool create = true;
  /// Serve it for this group (group_root.h): a worker says so. A client finds such a root by
  /// itself, and accepts another user's with allow_shared.
  std::optional<gid_t> group = std::nullopt;
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

  /// Compares device and inode of requests/ and responses/, and of worker/tmp and worker/started
  /// where worker/ is still there, with what the paths name now and reopens all when one was
  /// renamed away, removed, replaced or mounted over. True: reopened. `create_missing` false fails
  /// with not_found rather than make requests/ or responses/, which somebody may be about to move
  /// in.
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

/// Whether files can be renamed from one directory into the other. Same device is not enough:
/// rename fails with EXDEV across bind mounts of one file system. False for what is not open.
bool is_same_mount(const UniqueFd& a, const UniqueFd& b);

}  // namespace filecall::spool
