// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/take_until.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/proposal_decision.h"
#include "client/cli/proposal_output.h"
#include "client/cli/proposal_requests.h"
#include "client/cli/subcommands.h"
#include "client/proposals/combined_undo.h"
#include "client/proposals/proposal_place.h"
#include "client/proposals/since_applied.h"
#include "client/report/progress_display.h"
#include "client/service/last_answer.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

/// What one invocation works on.
class ProposalTask {
 public:
  ProposalTask(const Arguments& arguments, Proposal proposal)
      : arguments_(arguments),
        layout_(spool::layout_of(chosen_root(arguments))),
        proposal_(std::move(proposal)),
        name_(arguments.words()[1]),
        requests_(arguments) {}

  Result<int> show();
  Result<int> apply();
  Result<int> undo();
  /// Why a request has no response, as the exit code.
  const std::optional<int>& ended() const { return requests_.ended(); }

 private:
  bool is_json() const { return arguments_.has("json"); }
  void note(const std::string& text) const {
    if (!arguments_.has("quiet")) print_error(text);
  }
  ViewOptions view() const {
    return {output_colour(), arguments_.has("side-by-side"), terminal_columns(STDOUT_FILENO)};
  }
  Result<int> report_success(const ProposalRecord& record, const Response& response);
  /// What is asked for was made by an earlier invocation, and the files may be others since then.
  Result<int> apply_again(ProposalRecord& record, const Json& hunks, const std::string& what);
  int say_applied(const ProposalRecord& record, const std::string& what,
                  const std::vector<MergedFile>& files) const;
  /// What --hunks names, without what was applied already.
  Result<Json> hunks_left(const Proposal& left) const;
  /// Sends changes to file.apply, and notes in the record what became of them.
  Result<Response> send(ProposalRecord& record, const Proposal& changes, const Json& hunks,
                        bool is_undo, bool is_whole = false);
  /// Notes the outcome of a request that an earlier invocation sent.
  Result<void> settle(ProposalRecord& record);
  Result<void> note_outcome(ProposalRecord& record, const Response& response);
  Result<int> report_failure(const Proposal& changes, const Response& response);

  const Arguments& arguments_;
  spool::Layout layout_;
  Proposal proposal_;
  std::string name_;
  ProposalRequests requests_;
};

Result<void> ProposalTask::note_outcome(ProposalRecord& record, const Response& response) {
  return response.is_success() ? record.end(response.data) : record.end_without_change();
}

Result<void> ProposalTask::settle(ProposalRecord& record) {
  if (!record.pending()) return {};
  const std::string id = record.pending()->request_id;
  auto response = last_response(layout_, id, RequestState::kSuccess);
  if (!response && response.error().code == ErrorCode::kNotFound) {
    const auto given_up = last_response(layout_, id, RequestState::kGaveUp);
    if (given_up) return note_outcome(record, *given_up);
    if (::access(layout_.request(id).c_str(), F_OK) != 0) return record.end_without_change();
    return fail(ErrorCode::kUnavailable,
                fmt::format("{}: has not ended; 'filecall follow {}' waits for it", id, id));
  }
  if (!response) return Unexpected(std::move(response).error());
  return note_outcome(record, *response);
}

Result<Response> ProposalTask::send(ProposalRecord& record, const Proposal& changes,
                                    const Json& hunks, bool is_undo, bool is_whole) {
  const std::string id = new_request_id(is_undo ? "undo" : "apply");
  Json params = {{"changes", changes.changes}};
  if (!changes.digest.empty()) params["digest"] = changes.digest;
  if (!hunks.is_null()) params["hunks"] = hunks;
  TRY(record.begin(id, is_undo, is_whole));
  TRY_ASSIGN(Response response, requests_.ask(id, "file.apply", std::move(params)));
  TRY(note_outcome(record, response));
  return response;
}

Result<int> ProposalTask::report_failure(const Proposal& changes, const Response& response) {
  TRY_ASSIGN(const auto files, requests_.conflicts_of(changes, *response.failure));
  const int code = files.empty() ? kExitGaveUp : kExitDecision;
  if (is_json()) {
    print_json({{"state", files.empty() ? "failed" : "conflict"},
                {"request_id", response.request_id},
                {"error_code", to_string(response.failure->code)},
                {"error_message", response.failure->message},
                {"error_details", response.failure->details},
                {"files", merges_json(files)}});
    return code;
  }
  print_error(fmt::format("file.apply: {} ({})", response.failure->message,
                          to_string(response.failure->code)));
  print_merges(files, output_colour());
  return code;
}

Result<int> ProposalTask::show() {
  TRY_ASSIGN(const ProposalRecord record, ProposalRecord::read(layout_, proposal_.key()));
  // What was done says more than what was decided before.
  const DecidedProposal decided =
      record.is_untouched() ? decision_on(layout_, proposal_) : DecidedProposal();
  const std::string_view state = state_of(record, decided.decision);
  const Proposal& left = left_of(proposal_, record);
  // What was made is shown, too, where nothing is left.
  const Proposal& shown = left.changes.empty() ? proposal_ : left;
  std::vector<MergedFile> files;
  if (arguments_.has("merge")) {
    TRY_ASSIGN(files, requests_.changed_since(proposal_, record));
  }
  for (const Json& change : left.changes) {
    if (!arguments_.has("merge") || change["operation"] != "update" ||
        change.value("conflict", false)) {
      continue;
    }
    TRY_ASSIGN(MergedFile file, requests_.merge_with_file(change));
    if (file.reason != "unchanged") files.push_back(std::move(file));
  }
  if (is_json()) {
    Json made = Json::array();
    for (const MadePart& part : record.made()) made.push_back(part.request_id);
    Json out = {{"state", state},
                {"changes", shown.changes},
                {"digest", shown.digest},
                {"has_conflicts", shown.has_conflicts()},
                {"applied_by", std::move(made)}};
    if (arguments_.has("merge")) out["files"] = merges_json(files);
    print_json(out);
  } else {
    if (!decided.text.empty()) note(fmt::format("{}: {}", name_, decided.text));
    print_changes(shown, state, view());
    print_merges(files, output_colour());
  }
  return files.empty() ? kExitSuccess : kExitDecision;
}

int ProposalTask::say_applied(const ProposalRecord& record, const std::string& what,
                              const std::vector<MergedFile>& files) const {
  const std::string& id = record.made().back().request_id;
  if (is_json()) {
    print_json({{"state", state_of(record)},
                {"request_id", id},
                {"already", true},
                {"files", merges_json(files)}});
  } else if (files.empty()) {
    note(fmt::format("{}: was applied already, by {}", what, id));
  } else {
    print_error(fmt::format(
        "{}: was applied by {}, and files are others since then; nothing was changed", what, id));
    print_merges(files, output_colour());
  }
  return files.empty() ? kExitSuccess : kExitDecision;
}

Result<Json> ProposalTask::hunks_left(const Proposal& left) const {
  Json hunks = Json::array();
  const auto take = [&](const std::string& word) -> Result<void> {
    auto some = chosen_hunks(left, {word});
    if (!some && some.error().code == ErrorCode::kNotFound && chosen_hunks(proposal_, {word})) {
      return {};  // Of a part that was applied.
    }
    if (!some) return Unexpected(std::move(some).error());
    hunks.insert(hunks.end(), some->begin(), some->end());
    return {};
  };
  for (const std::string& word : arguments_.all("hunks")) {
    // A path may hold a comma.
    std::string_view rest = word;
    if (proposal_.change_of(word) != nullptr) {
      TRY(take(word));
      rest = {};
    }
    while (!rest.empty()) TRY(take(std::string(take_until(&rest, ','))));
  }
  return hunks;
}

/// When all files are as they were before the proposal, somebody has taken it back in another way,
/// and it begins again.
Result<int> ProposalTask::apply_again(ProposalRecord& record, const Json& hunks,
                                      const std::string& what) {
  TRY_ASSIGN(const auto files, requests_.changed_since(proposal_, record));
  const auto is_reverted = [](const MergedFile& file) { return file.reason == "reverted"; };
  if (files.empty() || files.size() != made_paths(record.made()).size() ||
      !std::ranges::all_of(files, is_reverted)) {
    return say_applied(record, what, files);
  }
  TRY_ASSIGN(const Response response, send(record, proposal_, hunks, false, true));
  return response.is_success() ? report_success(record, response)
                               : report_failure(proposal_, response);
}

Result<int> ProposalTask::apply() {
  TRY_ASSIGN(ProposalRecord record, ProposalRecord::open(layout_, proposal_.key()));
  TRY(settle(record));
  if (record.is_untouched() && !proposal_.is_named_by_path) {
    TRY(check_applicable(decision_on(layout_, proposal_), layout_, name_,
                         root_words(arguments_, chosen_root(arguments_))));
  }
  const Proposal left = left_of(proposal_, record);
  Json hunks;
  if (arguments_.has("hunks")) {
    TRY_ASSIGN(const Json all, hunks_left(proposal_));
    if (all.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "--hunks: names no hunk; leave it out to apply the whole proposal");
    }
    TRY_ASSIGN(hunks, hunks_left(left));
    if (hunks.empty()) {
      return apply_again(record, all, fmt::format("{}", fmt::join(arguments_.all("hunks"), ", ")));
    }
  } else if (left.changes.empty()) {
    return apply_again(record, Json(), name_);
  }
  TRY_ASSIGN(const Response response, send(record, left, hunks, false));
  if (!response.is_success()) return report_failure(left, response);
  return report_success(record, response);
}

Result<int> ProposalTask::report_success(const ProposalRecord& record, const Response& response) {
  if (is_json()) {
    Json out = response.data;
    out["state"] = state_of(record);
    out["request_id"] = response.request_id;
    print_json(out);
    return kExitSuccess;
  }
  print_applied(response.data["applied"], "applied");
  const Proposal& rest = left_of(proposal_, record);
  if (!rest.changes.empty()) note(fmt::format("not applied: {}", size_text(rest.changes)));
  return kExitSuccess;
}

Result<int> ProposalTask::undo() {
  TRY_ASSIGN(ProposalRecord record, ProposalRecord::open(layout_, proposal_.key()));
  TRY(settle(record));
  Json requests = Json::array();
  const bool is_done = record.made().empty();
  if (is_done && !record.was_undone()) {
    return fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("{}: client/proposals has no record that it was applied; nothing to undo",
                    name_));
  }
  if (!is_done) {
    TRY_ASSIGN(const Proposal back, combined_undo(record.made()));
    if (back.changes.empty()) {
      // Nothing was changed.
      TRY(record.begin(record.made().back().request_id, true));
      TRY(record.end(Json::object()));
    } else {
      TRY_ASSIGN(const Response response, send(record, back, Json(), true));
      if (!response.is_success()) return report_failure(back, response);
      requests.push_back(response.request_id);
      if (!is_json()) print_applied(response.data["applied"], "undone");
    }
  }
  if (is_json()) {
    print_json({{"state", "undone"}, {"requests", std::move(requests)}, {"already", is_done}});
  } else if (is_done) {
    note(fmt::format("{}: was undone already", name_));
  }
  return kExitSuccess;
}

/// What an action would pass over is refused.
Result<void> check_proposal_options(const Arguments& arguments, const std::string& action) {
  constexpr std::pair<const char*, const char*> kOfActions[] = {
      {"hunks", "apply"}, {"side-by-side", "show"}, {"merge", "show"}};
  for (const auto& [option, of_action] : kOfActions) {
    if (!arguments.has(option) || action == of_action) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--{} is for 'filecall proposal {}'", option, of_action));
  }
  return {};
}

Result<int> run_action(const Arguments& arguments, std::optional<int>& ended) {
  const std::string& action = arguments.words()[0];
  if (action != "show" && action != "apply" && action != "undo") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is no action; use show, apply or undo", action));
  }
  TRY(check_proposal_options(arguments, action));
  TRY_ASSIGN(Proposal proposal,
             find_proposal(spool::layout_of(chosen_root(arguments)), arguments.words()[1]));
  ProposalTask task(arguments, std::move(proposal));
  auto code = action == "show" ? task.show() : action == "apply" ? task.apply() : task.undo();
  ended = task.ended();
  return code;
}

}  // namespace

Result<int> undo_proposal(const Arguments& arguments, Proposal proposal) {
  ProposalTask task(arguments, std::move(proposal));
  const auto code = task.undo();
  // Why there is no response was said already.
  return task.ended() ? Result<int>(*task.ended()) : code;
}

int proposal_command(const Arguments& arguments) {
  std::optional<int> ended;
  const auto code = run_action(arguments, ended);
  if (code) return *code;
  // Why there is no response was said already.
  return ended ? *ended : report_error(code.error());
}

}  // namespace filecall::client
