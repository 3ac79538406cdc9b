// SPDX-License-Identifier: MIT
#include "client/service/run_scope.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/core/row_selection.h"
#include "client/runs/run_files.h"
#include "client/runs/run_items.h"
#include "client/turns/transcript.h"
#include "ipc/json_text.h"

namespace filecall::client {

Result<void> RunScope::choose_all(const RunChoice& choice) {
  TRY_ASSIGN(runs_, RunFiles(layout_).list());
  if (!choice.batch.empty()) {
    std::erase_if(runs_, [&](const RunRecord& record) { return record.plan.name != choice.batch; });
  }
  std::reverse(runs_.begin(), runs_.end());
  is_whole_root_ = choice.batch.empty() || runs_.empty();
  batch_ = choice.batch;
  return {};
}

Result<RunScope> RunScope::choose(const spool::Layout& layout, const RunChoice& choice) {
  RunScope scope(layout);
  if (choice.mixes) {
    if (!choice.run.empty()) {
      return fail(ErrorCode::kInvalidArgument, "--mix takes all runs, --run only one; name one");
    }
    TRY(scope.choose_all(choice));
    return scope;
  }
  const RunFiles files(layout);
  std::optional<RunRecord> chosen;
  if (!choice.run.empty()) {
    TRY_ASSIGN(chosen, files.find(choice.run));
    if (!choice.batch.empty() && choice.batch != chosen->plan.name) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("run {}: is of the batch '{}'", chosen->run_id,
                              excerpt(chosen->plan.name, 60)));
    }
  } else if (!choice.batch.empty()) {
    TRY_ASSIGN(chosen, files.latest_of(choice.batch));
  } else {
    TRY_ASSIGN(chosen, files.latest());
  }
  if (!chosen) {
    scope.is_whole_root_ = true;
    scope.batch_ = choice.batch;
    return scope;
  }
  if (choice.run.empty()) {
    TRY_ASSIGN(const auto all, files.list());
    const auto others = std::count_if(all.begin(), all.end(), [&](const RunRecord& record) {
      return choice.batch.empty() || record.plan.name == choice.batch;
    });
    if (others > 1) {
      scope.notice_ =
          fmt::format("run {} is the latest of {}{}; --run names another, --mix takes all together",
                      chosen->run_id, others, choice.batch.empty() ? "" : " of this batch");
    }
  }
  const std::string part = selection_text(chosen->plan.setup.value("selection", Json()));
  if (!part.empty()) {
    if (!scope.notice_.empty()) scope.notice_ += "\n";
    scope.notice_ += fmt::format("run {} asked a part of its rows: {}", chosen->run_id, part);
  }
  scope.runs_.push_back(std::move(*chosen));
  return scope;
}

std::vector<std::string> RunScope::run_ids() const {
  std::vector<std::string> ids;
  for (const RunRecord& record : runs_) ids.push_back(record.run_id);
  return ids;
}

std::string RunScope::name() const {
  if (is_whole_root_ || runs_.empty()) return batch_;
  return runs_.front().plan.name;
}

Result<RunMetadata> RunScope::metadata() const { return RunMetadata::open(layout_, runs_); }

/// A conversation is shown as one.
Result<bool> RunScope::show(Ledger& ledger, Member member,
                            const std::function<bool(const Member&)>& visit) const {
  TRY_ASSIGN(member.run_result, look_at_run_result(ledger, layout_, member.entry));
  if (!begins_conversation(member.metadata)) return visit(member);
  const std::string batch = std::move(member.entry.batch);
  TRY_ASSIGN(ConversationEntry whole,
             conversation_entry(ledger, layout_, member.entry.request_id, member.metadata));
  member.entry = std::move(whole.entry);
  member.entry.batch = batch;
  member.conversation = std::move(whole.look);
  return visit(member);
}

Result<Json> find_turns(Ledger& ledger, const spool::Layout& layout,
                        const RequestDetails& details) {
  std::string first = details.entry.request_id;
  const std::string& command = details.entry.command;
  if (command != "llm.chat" && command != "tool.run") return Json();
  const Json request = details.request ? Json::parse(*details.request, nullptr, false) : Json();
  const Json own = request.is_object() ? request.value("metadata", Json()) : Json();
  if (is_within_conversation(own)) first = own["conversation"].get<std::string>();
  TRY_ASSIGN(const RunScope scope, RunScope::choose(layout, {.batch = details.entry.batch}));
  TRY_ASSIGN(const RunMetadata metadata, scope.metadata());
  const auto listed = metadata.find(first);
  if (!listed || !begins_conversation(*listed)) return Json();
  TRY_ASSIGN(const ConversationEntry whole, conversation_entry(ledger, layout, first, *listed));
  return transcript_of(whole.look->conversation);
}

Result<void> RunScope::each_of_root(Ledger& ledger,
                                    const std::function<bool(const Member&)>& visit) const {
  TRY_ASSIGN(const RunMetadata metadata, this->metadata());
  EntryFilter filter;
  filter.batch = batch_;
  spool::NameHashSet seen;
  Result<bool> goes_on = true;
  TRY(ledger.for_each(filter, [&](const RequestEntry& entry) {
    if (!runs_.empty()) seen.insert(entry.request_id);
    goes_on = show(ledger, {entry, metadata.find(entry.request_id).value_or(Json())}, visit);
    return goes_on && *goes_on;
  }));
  // What gc removed, and what was never dropped, is a part of its run nevertheless.
  for (const RunRecord& record : runs_) {
    if (!goes_on || !*goes_on) break;
    goes_on = each_listed(ledger, record, &seen, visit);
  }
  return goes_on ? Result<void>() : Unexpected(goes_on.error());
}

std::string waits_text(const RunItem& item) {
  constexpr std::size_t kShown = 5;
  std::string text = "waits for ";
  for (std::size_t i = 0; i < std::min(item.after.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + excerpt(item.after[i], 60);
  }
  if (item.after.size() > kShown) text += fmt::format(" and {} more", item.after.size() - kShown);
  return text + (item.is_after_end ? " to end" : "");
}

Result<bool> RunScope::each_listed(Ledger& ledger, const RunRecord& record,
                                   spool::NameHashSet* seen,
                                   const std::function<bool(const Member&)>& visit) const {
  bool goes_on = true;
  TRY(RunItems(layout_, record).each([&](RunItem item) -> Result<bool> {
    if (seen != nullptr && !seen->insert(item.request_id)) return true;
    TRY_ASSIGN(const auto entry, ledger.find(item.request_id));
    Member member{entry.value_or(RequestEntry()), std::move(item.metadata)};
    if (member.entry.request_id.empty()) member.entry.request_id = std::move(item.request_id);
    if (!entry && !item.after.empty()) member.entry.error_message = waits_text(item);
    member.entry.batch = record.plan.name;
    TRY_ASSIGN(goes_on, show(ledger, std::move(member), visit));
    return goes_on;
  }));
  return goes_on;
}

Result<void> RunScope::each(Ledger& ledger, const std::function<bool(const Member&)>& visit) const {
  if (is_whole_root_) return each_of_root(ledger, visit);
  spool::NameHashSet seen;
  for (const RunRecord& record : runs_) {
    TRY_ASSIGN(const bool goes_on,
               each_listed(ledger, record, runs_.size() > 1 ? &seen : nullptr, visit));
    if (!goes_on) break;
  }
  return {};
}

}  // namespace filecall::client
