// SPDX-License-Identifier: MIT
#include "worker/root_session.h"

#include <fmt/core.h>

#include <utility>

#include "os/io.h"

namespace filecall::worker {
namespace {

// A client that asks whether a worker lives holds the lock for an instant.
constexpr Duration kLockPatience = seconds(1);
constexpr std::size_t kStatusBytesMax = 1024 * 1024;

/// " (pid 123)" of the worker that holds the lock; empty when its status cannot be read.
std::string pid_text(const std::string& status_path) {
  const auto bytes = read_file(status_path, kStatusBytesMax);
  if (!bytes) return "";
  const auto status = parse_worker_status(*bytes);
  return status ? fmt::format(" (pid {})", status->pid) : "";
}

}  // namespace

Result<std::unique_ptr<RootSession>> open_root_session(int index, const std::string& path,
                                                       const RootSessionOptions& options,
                                                       MonotonicTime now) {
  TRY_ASSIGN(spool::Root root,
             spool::Root::open(path, {.allow_shared = options.allow_shared_root, .create = true}));
  auto session = std::make_unique<RootSession>();
  session->index = index;
  session->path = path;
  auto lock = spool::FileLock::acquire(root.layout().worker_lock(), kLockPatience);
  if (!lock && lock.error().code == ErrorCode::kUnavailable) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("{}: another worker{} serves this root; stop it first "
                            "(filecall worker stop --root {})",
                            path, pid_text(root.layout().worker_status()), path));
  }
  if (!lock) return Unexpected(lock.error());
  session->lock = std::make_unique<spool::FileLock>(std::move(lock).value());
  TRY_ASSIGN(session->source, spool::open_directory_source(std::move(root), options.source, now));
  for (auto& record : session->source->interrupted()) {
    std::string stem = record.stem;
    session->interrupted.insert_or_assign(std::move(stem), std::move(record));
  }
  return session;
}

}  // namespace filecall::worker
