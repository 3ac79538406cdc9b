// SPDX-License-Identifier: MIT
#include "client/cli/proposal_requests.h"

#include <fmt/core.h>

#include <utility>

#include "client/cli/call_view.h"
#include "client/cli/engine_options.h"
#include "client/cli/interrupt.h"
#include "client/cli/run_end.h"
#include "client/proposals/since_applied.h"
#include "client/proposals/three_way.h"
#include "client/service/last_answer.h"
#include "spool/group_root.h"

namespace filecall::client {

Result<Response> ProposalRequests::ask(const std::string& id, const std::string& command,
                                       Json params) {
  TRY_ASSIGN(const OrchestratorOptions options, engine_options(arguments_, true));
  Request request;
  request.request_id = id;
  request.command = command;
  request.params = std::move(params);
  TRY_ASSIGN(Submission submission, submission_of(request));
  if (!service_) {
    TRY_ASSIGN(service_, RequestService::open(options));
  }
  TRY(service_->submit(std::move(submission)));
  CallView view(options, arguments_.has("quiet"));
  const InterruptScope scope(service_->interruption());
  TRY_ASSIGN(const auto waited, service_->wait(id, Deadline::never(), view));
  if (waited.outcome) return final_response(spool::layout_of(options.root), *waited.outcome);
  ended_ = explain_end(waited.end, options.root, "the same command");
  return fail(ErrorCode::kCancelled, fmt::format("{}: has no response yet", id));
}

Result<MergedFile> ProposalRequests::merge_with_file(const Json& change) {
  MergedFile file{change["path"].get<std::string>(), "changed", "", 0, ""};
  TRY_ASSIGN(const Response response,
             ask(new_request_id("merge"), "file.read", {{"files", {file.path}}}));
  if (!response.is_success()) {
    file.problem = response.failure->message;
    return file;
  }
  const Json& files = response.data.contains("files") ? response.data["files"] : response.data;
  const Json entry = files.is_array() && !files.empty() ? files.front() : Json::object();
  if (!entry.contains("text") || !entry["text"].is_string() ||
      entry.value("complete", false) != true) {
    file.problem = "the file is too large, or no text, to be merged here";
    return file;
  }
  if (entry.contains("sha256") && change.contains("base_sha256") &&
      entry["sha256"] == change["base_sha256"]) {
    file.reason = "unchanged";
    return file;
  }
  auto merged = three_way(change, entry["text"].get_ref<const std::string&>());
  if (!merged) {
    file.problem = merged.error().message;
    return file;
  }
  file.merged = std::move(merged->content);
  file.conflicts = merged->conflicts;
  return file;
}

Result<std::vector<MergedFile>> ProposalRequests::conflicts_of(const Proposal& changes,
                                                               const Failure& failure) {
  std::vector<MergedFile> files;
  if (!failure.details.is_object() || !failure.details.contains("conflicts")) return files;
  for (const Json& conflict : failure.details["conflicts"]) {
    MergedFile file;
    if (conflict.is_object()) {
      file.path = conflict.value("path", "");
      file.reason = conflict.value("reason", "");
    }
    const Json* change = changes.change_of(file.path);
    if (file.reason == "changed" && change != nullptr && (*change)["operation"] == "update") {
      TRY_ASSIGN(file, merge_with_file(*change));
    }
    files.push_back(std::move(file));
  }
  return files;
}

Result<std::vector<MergedFile>> ProposalRequests::changed_since(const Proposal& proposal,
                                                                const ProposalRecord& record) {
  std::vector<MergedFile> files;
  for (const std::string& path : made_paths(record.made())) {
    const Json* change = proposal.change_of(path);
    if (change == nullptr) continue;
    TRY_ASSIGN(const Response response,
               ask(new_request_id("merge"), "file.read",
                   {{"files", Json::array({Json{{"path", path}, {"limit", 1}}})}}));
    std::optional<std::string> sha256;
    if (response.is_success()) {
      sha256 = response.data["files"][0]["sha256"].get<std::string>();
    } else if (response.failure->code != ErrorCode::kNotFound) {
      files.push_back({path, "changed", "", 0, response.failure->message});
      continue;
    }
    const SinceApplied since = since_applied(*change, record.made(), sha256);
    if (since == SinceApplied::kMade) continue;
    files.push_back({path, since == SinceApplied::kBefore ? "reverted" : "changed", "", 0,
                     since == SinceApplied::kBefore ? "it is as it was before the proposal"
                                                    : "it was changed after it was applied"});
  }
  return files;
}

}  // namespace filecall::client
