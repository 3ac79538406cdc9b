// SPDX-License-Identifier: MIT
#include "client/cli/proposal_output.h"

#include <fmt/core.h>

#include "base/count_text.h"
#include "base/visible_text.h"
#include "client/cli/output.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

std::string shown_path(const Json& entry) {
  const auto found = entry.find("path");
  const bool is_text = found != entry.end() && found->is_string();
  return is_text ? visible_line(found->get<std::string>()) : "?";
}

}  // namespace

std::string_view state_of(const ProposalRecord& record) {
  if (record.made().empty()) return record.was_undone() ? "undone" : "waiting";
  return record.made().back().rest.changes.empty() ? "applied" : "partly applied";
}

const Proposal& left_of(const Proposal& proposal, const ProposalRecord& record) {
  return record.made().empty() ? proposal : record.made().back().rest;
}

void print_changes(const Proposal& proposal, std::string_view state, const ViewOptions& view) {
  print(fmt::format("{}: {}\n", state, size_text(proposal.changes)));
  for (const Json& change : proposal.changes) {
    print("\n");
    print(output_is_terminal() ? change_text(printable_change(change), view)
                               : change_text(change, view));
  }
}

void print_merges(const std::vector<MergedFile>& files, bool has_colour) {
  for (const MergedFile& file : files) {
    print(fmt::format("\n{}: {}", visible_line(file.path), file.reason));
    if (file.merged.empty()) {
      print(file.problem.empty() ? "\n" : fmt::format("; {}\n", one_line(file.problem, 400)));
      continue;
    }
    print(fmt::format(
        "; merged, {}:\n",
        file.conflicts == 0
            ? "without a conflict"
            : "with " + counted_noun(static_cast<std::int64_t>(file.conflicts), "conflict")));
    print(merge_text(output_is_terminal() ? visible_text(file.merged) : file.merged, has_colour));
  }
}

Json merges_json(const std::vector<MergedFile>& files) {
  Json list = Json::array();
  for (const MergedFile& file : files) {
    Json entry = {{"path", file.path}, {"reason", file.reason}};
    if (!file.merged.empty()) {
      entry["merged"] = {{"content", file.merged}, {"conflicts", file.conflicts}};
    } else if (!file.problem.empty()) {
      entry["problem"] = file.problem;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void print_applied(const Json& applied, std::string_view what) {
  for (const Json& entry : applied) {
    if (!entry.is_object()) continue;
    std::string line = fmt::format("{}: {}", what, shown_path(entry));
    const auto hunks = entry.find("hunks");
    if (hunks != entry.end() && hunks->is_array()) {
      line += fmt::format(" ({})", counted_noun(static_cast<std::int64_t>(hunks->size()), "hunk"));
    }
    if (entry.value("changed", true) == false) line += " (nothing changed)";
    print(line + "\n");
  }
}

}  // namespace filecall::client
