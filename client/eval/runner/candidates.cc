// SPDX-License-Identifier: MIT
#include "client/eval/runner/candidates.h"

#include <fmt/core.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/eval/grader.h"

namespace filecall::client {

namespace {

std::string item_of(const RunScope::Member& member) {
  const Json* item = find_column(member.metadata, "item");
  return item != nullptr && item->is_string() ? item->get<std::string>() : member.entry.request_id;
}

/// Rows by their names, each once, in the order of the run. Failures: no run lists them; no row has
/// a column that a filter names.
Result<std::set<std::string>> chosen_items(Ledger& ledger, const RunScope& scope,
                                           const RowSelection& rows) {
  if (scope.runs().empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--filter, --sample and --limit choose among the rows of a run; there is none");
  }
  std::set<std::string> seen;
  std::set<std::string> met;
  std::vector<std::string> fitting;
  TRY(scope.each(ledger, [&](const RunScope::Member& member) {
    if (member.entry.request_id.starts_with(kQuestionPrefix)) return true;
    const Json row = {{"metadata", member.metadata}};
    for (const ColumnFilter& filter : rows.filters) {
      if (find_column(row, filter.column) != nullptr) met.insert(filter.column);
    }
    std::string item = item_of(member);
    if (fits_filters(row, rows.filters) && seen.insert(item).second) {
      fitting.push_back(std::move(item));
    }
    return true;
  }));
  for (const ColumnFilter& filter : rows.filters) {
    if (met.contains(filter.column)) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--filter: no row of the run has '{}'", filter.column));
  }
  SampleBound bound(rows.sample);
  for (const std::string& item : fitting) bound.add(sample_rank(item, rows.sample_seed));
  std::set<std::string> chosen;
  for (const std::string& item : fitting) {
    const bool is_full = rows.limit > 0 && static_cast<std::int64_t>(chosen.size()) >= rows.limit;
    if (is_full) break;
    if (rows.sample > 0 && !bound.takes(sample_rank(item, rows.sample_seed))) continue;
    chosen.insert(item);
  }
  return chosen;
}

}  // namespace

Result<Candidates> list_candidates(Ledger& ledger, const RunScope& scope,
                                   const Selection& selection,
                                   const std::function<bool(const RequestEntry& entry)>& is_known,
                                   const std::function<bool(std::string_view id)>& may_select) {
  Candidates found;
  std::set<std::string> items;
  if (selection.rows.any()) {
    TRY_ASSIGN(items, chosen_items(ledger, scope, selection.rows));
  }
  TRY(scope.each(ledger, [&](const RunScope::Member& member) {
    const RequestEntry& entry = member.entry;
    // A pattern that selects the first result of a run selects what became of the run.
    const std::string& first_result = member.run_result.first_id;
    const bool is_selected = selection.selects_id(entry.request_id) ||
                             (!first_result.empty() && selection.selects_id(first_result));
    if (!is_selected) {
      found.not_selected += entry.request_id.starts_with(kQuestionPrefix) ? 0 : 1;
      return true;
    }
    if (selection.rows.any() && !items.contains(item_of(member))) {
      ++found.not_selected;
      return true;
    }
    // The command of an entry that was inferred from files is not known yet.
    const bool is_other =
        !entry.command.empty() && selection.command != "*" && selection.command != entry.command;
    if (is_other) ++found.not_selected;
    if (is_other) return true;
    if (member.run_result.is_superseded) {
      ++found.superseded;
      return true;
    }
    if (is_known(entry)) return true;
    if (entry.is_collected) {
      ++found.removed;
    } else if (entry.state == RequestState::kSuccess) {
      found.succeeded.add(entry.request_id);
    } else if (entry.state == RequestState::kGaveUp) {
      found.given_up.add(entry.request_id);
    } else if (may_select(entry.request_id)) {
      ++found.unfinished;
    }
    return true;
  }));
  return found;
}

}  // namespace filecall::client
