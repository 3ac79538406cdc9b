// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/options.h"
#include "client/cli/proposal_output.h"
#include "client/proposals/proposal.h"
#include "client/proposals/proposal_record.h"
#include "client/service/request_service.h"
#include "ipc/response.h"

namespace filecall::client {

/// The requests that an invocation of `filecall proposal` sends, and what they say of its files.
/// Each call blocks until the response is there; one that has none fails with `cancelled`, after
/// the reason was printed, and ended() has the exit code.
class ProposalRequests {
 public:
  explicit ProposalRequests(const Arguments& arguments) : arguments_(arguments) {}

  Result<Response> ask(const std::string& id, const std::string& command, Json params);
  /// A file as it is, merged with an update of it. Its reason is "unchanged" when it is as the
  /// update expects it.
  Result<MergedFile> merge_with_file(const Json& change);
  /// The files for which file.apply changed nothing.
  Result<std::vector<MergedFile>> conflicts_of(const Proposal& changes, const Failure& failure);
  /// The files that parts of a proposal changed and that hold something else by now: "reverted" or
  /// "changed".
  Result<std::vector<MergedFile>> changed_since(const Proposal& proposal,
                                                const ProposalRecord& record);
  /// Why a request has no response, as the exit code.
  const std::optional<int>& ended() const { return ended_; }

 private:
  const Arguments& arguments_;
  std::unique_ptr<RequestService> service_;
  std::optional<int> ended_;
};

}  // namespace filecall::client
