// SPDX-License-Identifier: MIT
#include "client/engine/owner_lock.h"

#include <dirent.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "os/io.h"
#include "os/process.h"

namespace filecall::client {
namespace {

constexpr int kSweptMax = 64;

// A lock file that nobody holds belongs to a dead client or to one that is being born; the latter
// notices the loss (is_still_at) and takes another name.
void sweep(const std::string& directory) {
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> entries(::opendir(directory.c_str()), close);
  if (!entries) return;
  int swept = 0;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_name[0] == '.') continue;
    if (++swept > kSweptMax) break;
    const std::string path = directory + "/" + entry->d_name;
    if (!spool::FileLock::is_held(path).value_or(true)) {
      ::unlinkat(::dirfd(entries.get()), entry->d_name, 0);
    }
  }
}

}  // namespace

Result<OwnerLock> OwnerLock::acquire(const spool::Layout& layout, std::string_view role) {
  TRY(make_directories(layout.client_locks()));
  sweep(layout.client_locks());
  for (;;) {
    std::string name = make_instance_id();
    if (!role.empty()) name.append("-").append(role);
    const std::string path = layout.client_lock(name);
    TRY_ASSIGN(spool::FileLock lock, spool::FileLock::acquire(path, seconds(1)));
    if (lock.is_still_at(path)) return OwnerLock(layout, name, std::move(lock));
  }
}

OwnerLock::~OwnerLock() {
  if (!name_.empty()) ::unlink(layout_.client_lock(name_).c_str());
}

bool OwnerLock::is_alive(std::string_view owner) const {
  if (owner == name_) return true;
  return spool::FileLock::is_held(layout_.client_lock(owner)).value_or(true);
}

}  // namespace filecall::client
