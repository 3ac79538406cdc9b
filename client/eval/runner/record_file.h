// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/eval/evaluation.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::client {

/// `eval/{id}.json`, read and changed; one process at a time changes one, under a lock of the root,
/// so that evaluations of several specifications can run at once. Not thread-safe.
class RecordFiles {
 public:
  /// Makes eval/ when it is not there. `on_notice` is called for files that were set aside.
  static Result<RecordFiles> open(const spool::Layout& layout,
                                  std::function<void(const std::string&)> on_notice);

  /// The evaluation of that name; nullopt when there is none or the file is unreadable.
  Result<std::optional<Evaluation>> find(std::string_view id, std::string_view name) const;
  /// Puts it in, atomically. What else stands in the file stays. An unreadable file is renamed to
  /// "{id}.json.unreadable-{n}" first, never overwritten. A replaced file is synced before, because
  /// others' evaluations stand in it; new ones are as durable as sync() makes them, since they can
  /// be made again for nothing: answers of judges are files of their own.
  Result<void> put(std::string_view id, std::string_view name, const Evaluation& evaluation);
  /// Makes all of them durable.
  Result<void> sync() const;

 private:
  RecordFiles(spool::Layout layout, UniqueFd directory,
              std::function<void(const std::string&)> on_notice);
  Result<std::string> read(std::string_view id) const;
  Result<void> set_aside(std::string_view id, const Error& error) const;

  spool::Layout layout_;
  UniqueFd directory_;
  std::function<void(const std::string&)> on_notice_;
};

}  // namespace filecall::client
