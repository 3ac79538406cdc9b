// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/proposals/proposal.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "spool/layout.h"
#include "spool/lock.h"

namespace filecall::client {

/// Changes that were made of a proposal by one request, and not taken back.
struct MadePart {
  std::string request_id;
  Proposal undo;
  Proposal rest;  ///< What was left of the proposal then; no changes: nothing.
};

/// What was done with a proposal so far: client/proposals/{key}.jsonl, appended to. What a request
/// makes is noted before the request is sent, so that after a crash its response tells.
class ProposalRecord {
 public:
  /// Opens it for a change: nobody else changes it meanwhile. Failure: unavailable, another
  /// `filecall` works on a proposal of the root; data_loss, it is no record.
  static Result<ProposalRecord> open(const spool::Layout& layout, const std::string& key);
  /// What it says now; nothing when there is none.
  static Result<ProposalRecord> read(const spool::Layout& layout, const std::string& key);

  /// The last one is the one that is taken back first.
  const std::vector<MadePart>& made() const { return made_; }
  /// Something was made of it and taken back.
  bool was_undone() const { return was_undone_; }
  /// Nothing was ever made of it.
  bool is_untouched() const { return made_.empty() && !was_undone_; }
  /// A request that was sent, and whose outcome is not noted yet.
  struct Open {
    std::string request_id;
    bool is_undo = false;
    bool is_whole = false;  ///< Once more, of a proposal that nothing was left of.
  };
  const std::optional<Open>& pending() const { return pending_; }

  /// Notes a request that is about to be sent: one that takes back takes all parts back. One that
  /// is whole makes all of it once more, and what was made before counts no longer when it
  /// succeeds: somebody has taken that back in another way. Durable when this returns.
  Result<void> begin(const std::string& request_id, bool is_undo, bool is_whole = false);
  /// Notes what file.apply answered to it.
  Result<void> end(const Json& data);
  /// Notes that it changed nothing.
  Result<void> end_without_change();

 private:
  ProposalRecord(std::string path, std::optional<spool::FileLock> lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  Result<void> load();
  Result<void> take(const Json& line);
  Result<void> append(const Json& line);

  std::string path_;
  std::optional<spool::FileLock> lock_;
  std::vector<MadePart> made_;
  std::optional<Open> pending_;
  bool was_undone_ = false;
};

}  // namespace filecall::client
