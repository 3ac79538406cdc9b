// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"
#include "spool/lock.h"

namespace filecall::client {

/// This client's name and the proof that it lives: a held lock `client/locks/{name}.lock`, which
/// the kernel releases whichever way the process ends. Rows in the database carry the name.
class OwnerLock {
 public:
  /// Also removes a few locks that dead clients left. `role` ends the name, for others to see;
  /// empty: none.
  static Result<OwnerLock> acquire(const spool::Layout& layout, std::string_view role = {});
  OwnerLock(OwnerLock&&) = default;
  OwnerLock& operator=(OwnerLock&&) = default;
  /// Removes the file: the name is never used again, so nobody can lock a successor.
  ~OwnerLock();

  const std::string& name() const { return name_; }
  /// Whether the client of that name lives; also true when that is unknown.
  bool is_alive(std::string_view owner) const;

 private:
  OwnerLock(spool::Layout layout, std::string name, spool::FileLock lock)
      : layout_(std::move(layout)), name_(std::move(name)), lock_(std::move(lock)) {}

  spool::Layout layout_;
  std::string name_;
  spool::FileLock lock_;
};

}  // namespace filecall::client
