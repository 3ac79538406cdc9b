// SPDX-License-Identifier: MIT
#include "client/agent/run_proposals.h"

#include <utility>

#include "client/agent/core/record_member.h"
#include "client/proposals/proposal.h"
#include "client/proposals/proposal_record.h"
#include "spool/own_directory.h"
#include "spool/publish.h"

namespace filecall::client {

Result<void> RunProposals::publish(const Json& approval_request) {
  for (const Json& call : value_at(approval_request, "calls")) {
    const Json& preview = value_at(call, "preview");
    if (text_at(call, "toolId") != "file.propose" || !value_at(preview, "changes").is_array()) {
      continue;
    }
    TRY_ASSIGN(const UniqueFd folder, spool::open_own_directory(layout_.proposals(), true));
    // After a new preview it is another one.
    TRY(spool::replace_file(folder.get(), text_at(call, "id") + ".json", dump_json(preview) + "\n",
                            durability_));
    if (durability_ != Durability::kNone) TRY(spool::sync_directory(folder.get()));
  }
  return {};
}

Result<void> RunProposals::begin(const std::string& request_id, const Json& params, bool is_known) {
  TRY_ASSIGN(Proposal proposal, proposal_of(params, request_id));
  proposal.id = request_id;
  keys_[request_id] = proposal.key();
  // Its outcome may be noted already, and taken back since.
  if (is_known) return {};
  TRY_ASSIGN(ProposalRecord record, ProposalRecord::open(layout_, proposal.key()));
  return record.begin(request_id, false);
}

Result<void> RunProposals::end(const std::string& request_id, const Response& response) {
  const auto known = keys_.find(request_id);
  if (known == keys_.end()) return {};
  const std::string key = std::exchange(known->second, {});
  keys_.erase(known);
  TRY_ASSIGN(ProposalRecord record, ProposalRecord::open(layout_, key));
  if (!record.pending() || record.pending()->request_id != request_id) return {};
  return response.is_success() ? record.end(response.data) : record.end_without_change();
}

}  // namespace filecall::client
