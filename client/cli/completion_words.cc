// SPDX-License-Identifier: MIT
#include "client/cli/completion_words.h"

#include <algorithm>
#include <set>

#include "base/shell_word.h"
#include "client/approval/approval_files.h"
#include "client/cli/engine_options.h"
#include "client/engine/settings_look.h"
#include "client/engine/worker_process.h"
#include "client/proposals/proposal_place.h"
#include "client/runs/run_files.h"
#include "client/service/pause_list.h"
#include "client/threads/thread_list.h"
#include "ipc/schema_catalog.h"
#include "os/clock.h"
#include "spool/group_root.h"
#include "spool/pauses.h"

namespace filecall::client {
namespace {

constexpr std::string_view kKinds[] = {"ids",   "batches",   "runs",    "threads",  "paused",
                                       "pause", "proposals", "schemas", "approvals"};
constexpr std::size_t kWordsMax = 300;
/// Who presses a key waits.
constexpr Duration kKeyPatience = milliseconds(200);

/// A shell takes others apart: at blanks, and bash at ':' and '='.
bool is_whole_word(const std::string& word) {
  return shell_word(word) == word && word.find_first_of(":=") == std::string::npos;
}

std::vector<std::string> offered_pauses(const std::string& root) {
  const auto worker = worker_view(root);
  if (!worker || !worker->status) return {};
  return names_to_pause(*worker->status, known_providers(root));
}

Result<std::vector<std::string>> all_words(std::string_view kind, std::string_view prefix,
                                           const Arguments& arguments) {
  std::vector<std::string> words;
  if (kind == "schemas") {
    for (const std::string_view name : schema_names()) words.emplace_back(name);
    return words;
  }
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  if (kind == "approvals") {
    TRY_ASSIGN(const ApprovalFiles files, ApprovalFiles::open(layout, false));
    TRY_ASSIGN(const auto listed, files.list(false));
    for (const ListedApproval& one : listed) words.push_back(one.id);
    return words;
  }
  if (kind == "pause") return offered_pauses(layout.root());
  if (kind == "paused") {
    TRY_ASSIGN(const spool::PauseSet set, spool::read_pauses(layout));
    for (const std::string& name : set.destinations) words.push_back(name);
    return words;
  }
  if (kind == "threads") {
    TRY_ASSIGN(const auto listing, list_threads(layout));
    for (const ThreadSummary& thread : listing.threads) {
      if (!thread.is_deleted) words.push_back(thread.id);
    }
    return words;
  }
  if (kind == "proposals") words = proposals_in(layout);
  if (kind == "ids" || kind == "proposals") {
    TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
    TRY_ASSIGN(
        const auto ids,
        ledger->ids_beginning(prefix, kWordsMax, Deadline::after(monotonic_now(), kKeyPatience)));
    words.insert(words.end(), ids.begin(), ids.end());
    return words;
  }
  TRY_ASSIGN(const auto runs, RunFiles(layout).list());
  if (kind == "runs") words = {"latest", "previous"};
  for (const RunRecord& run : runs) words.push_back(kind == "runs" ? run.run_id : run.plan.name);
  return words;
}

}  // namespace

bool is_word_kind(std::string_view kind) {
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

Result<std::vector<std::string>> completion_words(std::string_view kind, std::string_view prefix,
                                                  const Arguments& arguments) {
  TRY_ASSIGN(const std::vector<std::string> all, all_words(kind, prefix, arguments));
  std::set<std::string> words;
  for (const std::string& word : all) {
    if (words.size() == kWordsMax) break;
    if (word.starts_with(prefix) && is_whole_word(word)) words.insert(word);
  }
  return std::vector<std::string>(words.begin(), words.end());
}

}  // namespace filecall::client
