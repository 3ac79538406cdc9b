// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "ipc/durability.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "spool/publish.h"
#include "spool/root.h"
#include "spool/source.h"

namespace filecall::spool {

struct DirectorySourceOptions {
  Durability durability = Durability::kFull;
  RequestLimits request_limits;
  Duration settle = limits::kSettle;
  /// Never use inotify (tests, and people who know their file system).
  bool force_poll = false;
  /// Period of the timer scan while polling; with inotify the period is longer. Both grow with
  /// what a scan costs.
  Duration poll_period = milliseconds(200);
  /// True for requests whose commands may be executed a second time without harm. Only for these
  /// an arrival may have an answer already: publish() then says kAlreadyThere. Null: for none.
  std::function<bool(const Request&)> may_repeat;
};

/// A root directory as a Source. The truth is names(requests) - names(responses); inotify names are
/// hints that make the common case O(1). See the protocol's README, "Noticing".
///
/// The caller holds the root's worker lock for as long as this object lives.
Result<std::unique_ptr<Source>> open_directory_source(Root root,
                                                      const DirectorySourceOptions& options,
                                                      MonotonicTime now);

}  // namespace filecall::spool
