// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/approval/core/approval_decision.h"
#include "ipc/durability.h"
#include "ipc/json.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::client {

/// What a decision must agree with, as the one who asked recorded it.
struct ExpectedApproval {
  std::string digest;  ///< Of the bundle. Empty: that of the request's file.
  /// What holds now. nullopt: what the request's file says.
  std::optional<std::string> policy_digest = std::nullopt;
  std::optional<std::string> scenario_digest = std::nullopt;
};

/// An approval as a person finds it.
struct ListedApproval {
  std::string id;
  Json request;  ///< null: damaged; `problem` says how.
  std::optional<ApprovalDecision> decision = std::nullopt;
  std::string problem = {};
};

/// The files of approvals/: requests/{id}.json says what wants to happen, responses/{id}.json what
/// was decided. The first decision wins and is never replaced. Files are regular ones of at most
/// some MiB, opened without following links and without waiting. One thread; many processes.
class ApprovalFiles {
 public:
  /// Makes the folders (0700) if `creates`; without that a root that has none lists nothing.
  static Result<ApprovalFiles> open(const spool::Layout& layout, bool creates,
                                    Durability durability = Durability::kFull);

  /// Publishes what bundle_request() made, in the place of an earlier one of that id: a decision on
  /// that no longer fits, and is refused. Durable when it returns.
  Result<void> publish_request(const Json& request);
  /// Failures: not_found; data_loss, it is not as it was written; resource_exhausted.
  Result<Json> read_request(std::string_view id) const;
  /// Oldest first. Those that wait, or all. Damaged ones are named by `problem`. A decision that
  /// does not hold is listed as none; it is set aside when somebody reads or decides it.
  Result<std::vector<ListedApproval>> list(bool all) const;

  /// Publishes what decision_file() made. Failures: already_exists, the message says who decided
  /// what, and when; not_found, the request was taken back. A file in its place that is no valid
  /// decision is set aside first.
  Result<void> publish_decision(const Json& file);
  /// nullopt: nobody has decided. What does not hold is moved to refused/, with the reason beside
  /// it, and counts as no decision; `refused` says why, if given.
  Result<std::optional<ApprovalDecision>> read_decision(std::string_view id,
                                                        const ExpectedApproval& expected,
                                                        std::string* refused = nullptr);
  /// Takes a request back (its run was cancelled, its policy has changed). A decision is set aside.
  Result<void> withdraw(std::string_view id, std::string_view reason);
  /// The same of all of a run that nobody has decided: its records may not name them.
  Result<void> withdraw_waiting(std::string_view run, std::string_view reason);

  /// An inotify descriptor that is readable when something appears in responses/ (and in requests/,
  /// with `requests_too`): a hint, for a loop to poll. Read it empty, then look.
  Result<UniqueFd> watch(bool requests_too = false) const;
  /// The key that signs; made if need be.
  Result<std::string> key() const;

 private:
  ApprovalFiles(spool::Layout layout, Durability durability);

  Result<std::optional<Json>> read_response(std::string_view id) const;
  Result<ApprovalDecision> check(const Json& file, std::string_view id,
                                 const ExpectedApproval& expected) const;
  bool is_asked(std::string_view id) const;  ///< Its request is there, readable or not.
  /// Of a decision that was published: its request is still there, or it is set aside.
  Result<void> check_still_asked(const std::string& id, const Json& file);
  /// Moves the file to refused/. False: it was no longer what was `seen`, and stays.
  Result<bool> set_aside(std::string_view id, std::string_view reason,
                         const std::optional<Json>& seen);

  spool::Layout layout_;
  Durability durability_;
  UniqueFd requests_;
  UniqueFd responses_;
  UniqueFd refused_;
};

}  // namespace filecall::client
