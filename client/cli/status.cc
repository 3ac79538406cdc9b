// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/count_text.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/cli/worker_text.h"
#include "client/report/progress_display.h"
#include "client/report/text_layout.h"
#include "client/service/entry_json.h"
#include "client/service/known_batch.h"
#include "client/service/pause_list.h"
#include "os/clock.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kTextLimit = 20;
constexpr std::size_t kNoteColumns = 160;

Result<EntryFilter> filter_of(const Arguments& arguments) {
  EntryFilter filter;
  if (arguments.has("state")) filter.state = parse_request_state(arguments.text("state"));
  filter.batch = arguments.text("batch");
  const std::int64_t fallback = arguments.has("json") ? 0 : kTextLimit;
  TRY_ASSIGN(filter.limit, arguments.integer("limit", fallback, 0, INT64_MAX));
  return filter;
}

/// What is listed is opened anyhow; without a list, what takes long is left to --read.
CountOptions count_options(const Arguments& arguments, const EntryFilter& filter) {
  CountOptions options;
  const bool lists_all = arguments.has("json") && !arguments.has("counts") && filter.limit == 0;
  if (arguments.has("read") || lists_all) options.read_max = INT64_MAX;
  return options;
}

/// Of what the filter admits. Those of the whole root are counted without a look at each.
Result<RequestCount> count_of(Ledger& ledger, const CountOptions& options,
                              const EntryFilter& filter) {
  if (filter.admits_all()) return ledger.count(options);
  RequestCount count;
  TRY_ASSIGN(count.counts, ledger.count_matching(filter));
  TRY_ASSIGN(count.names, ledger.request_names());
  return count;
}

Json head_json(const LedgerCounts& counts, const WorkerView& worker,
               const std::vector<Pause>& pauses) {
  Json paused = Json::array();
  for (const Pause& pause : pauses) paused.push_back(pause_json(pause));
  return {{"counts", counts_json(counts)},
          {"paused", paused},
          {"total", counts.total},
          {"unread", counts.unread},
          {"worker", worker_json(worker)}};
}

/// Rows are printed as they are read: a root may hold millions.
Result<void> print_as_json(Ledger& ledger, RequestCount count, const Json& head_members,
                           const EntryFilter& filter) {
  std::string head = dump_json(head_members);
  head.pop_back();
  print(head + ",\"requests\":[");
  bool is_first = true;
  const auto visited =
      ledger.for_each(filter, std::move(count.names), [&](const RequestEntry& entry) {
        print(is_first ? "\n" : ",\n");
        print(dump_json(entry_json(entry)));
        is_first = false;
        return true;
      });
  print("\n]}\n");
  return visited;
}

void print_counts(const std::string& root, const WorkerView& worker, const LedgerCounts& counts) {
  print(fmt::format("root    {}\nworker  {}\n", root, worker_text(worker)));
  std::string line = counted_noun(counts.total, "request");
  for (int i = 0; i < kRequestStateCount; ++i) {
    const std::int64_t count = counts.by_state[static_cast<std::size_t>(i)];
    if (count > 0) {
      line += fmt::format("  {} {}", to_string(static_cast<RequestState>(i)), human_count(count));
    }
  }
  if (counts.unread > 0) {
    line += fmt::format(
        "  answered {} (not read yet: 'filecall status --read' tells successes "
        "from errors)",
        human_count(counts.unread));
  }
  print(line + "\n");
}

std::string age(WallTime time, WallTime now) {
  return time == WallTime{} ? "" : human_duration(std::max(now - time, Duration::zero()));
}

std::string note_of(const RequestEntry& entry, const std::vector<Pause>& pauses, WallTime now) {
  std::string note;
  const bool waits = entry.state == RequestState::kWaiting;
  const std::string held = waits ? what_holds_the_batch(pauses, entry.batch) : "";
  // What was given back for the pause has no error of its own.
  const bool is_given_back = !held.empty() && entry.attempts == 0;
  if (entry.error_code && !is_given_back) {
    note = fmt::format("{}{}: {}", entry.state == RequestState::kNew ? "to be tried again; " : "",
                       to_string(*entry.error_code), entry.error_message);
  }
  const bool is_nobodys = !is_final(entry.state) && !entry.owner.empty() && !entry.owner_is_alive;
  if (!held.empty()) {
    note = held + (note.empty() ? "" : "; " + note);
  } else if (waits && entry.due_at && !is_nobodys) {
    note = fmt::format("next attempt in {}; {}", age(now, *entry.due_at), note);
  }
  // Its text was in its client alone: no watch can drop it.
  if (is_nobodys && entry.state == RequestState::kNew && !entry.error_code) {
    note = "was not dropped, run its batch or the same call again; 'filecall cancel' ends it";
  } else if (is_nobodys) {
    note = "nobody drives it, run its batch again or start a watch" +
           (note.empty() ? "" : "; " + note);
  }
  return note;
}

Result<void> print_table(Ledger& ledger, spool::NameList names, const EntryFilter& filter,
                         const std::vector<Pause>& pauses) {
  const WallTime now = wall_now();
  std::vector<std::vector<std::string>> rows = {
      {"REQUEST", "COMMAND", "STATE", "ATTEMPT", "AGE", "NOTE"}};
  constexpr std::int64_t kPage = 500;  // Columns are aligned page by page.
  std::int64_t count = 0;
  const auto flush = [&] {
    print(table(rows, {3, 4}));
    rows.clear();
  };
  const auto list = [&](const RequestEntry& entry) {
    // No client has read what a program dropped. Of a whole list it would take long.
    const std::string command = entry.command.empty() && filter.limit > 0
                                    ? ledger.read_command(entry.request_id)
                                    : entry.command;
    rows.push_back({one_line(entry.request_id, 60), one_line(command, 30),
                    std::string(to_string(entry.state)), std::to_string(entry.attempts),
                    age(entry.submitted_at, now),
                    one_line(note_of(entry, pauses, now), kNoteColumns)});
    if (++count % kPage == 0) flush();
    return true;
  };
  // One more is looked for than is listed: whether there are more.
  bool has_more = false;
  const auto is_full = [&] { return has_more = filter.limit > 0 && count == filter.limit; };
  // What failed is what people look for: first.
  std::set<std::string, std::less<>> failed;
  if (!filter.state) {
    const std::int64_t looked_at = filter.limit == 0 ? 0 : filter.limit + 1;
    TRY(ledger.each_failure(filter.batch, looked_at, [&](const RequestEntry& entry) {
      if (is_full()) return false;
      failed.insert(entry.request_id);
      return list(entry);
    }));
  }
  if (!has_more) {
    EntryFilter rest = filter;
    rest.limit = 0;
    TRY(ledger.for_each(rest, std::move(names), [&](const RequestEntry& entry) {
      if (failed.contains(entry.request_id)) return true;
      if (is_full()) return false;
      return list(entry);
    }));
  }
  if (count == 0) {
    print("No requests.\n");
    return {};
  }
  flush();
  if (has_more) {
    print(fmt::format("The first {}; --limit 0 lists all.\n", human_count(count)));
  }
  return {};
}

Result<int> status(const Arguments& arguments) {
  TRY_ASSIGN(const EntryFilter filter, filter_of(arguments));
  TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
  const std::string root = chosen_root(arguments);
  TRY(require_batch(*ledger, spool::layout_of(root), filter.batch));
  TRY_ASSIGN(const WorkerView worker, worker_view(root));
  TRY_ASSIGN(RequestCount count, count_of(*ledger, count_options(arguments, filter), filter));
  const bool is_json = arguments.has("json");
  TRY_ASSIGN(const spool::PauseSet set, spool::read_pauses(spool::layout_of(root)));
  const std::vector<Pause> pauses = list_pauses(set);
  if (is_json && arguments.has("counts")) {
    print_json(head_json(count.counts, worker, pauses));
  } else if (is_json) {
    const Json head = head_json(count.counts, worker, pauses);
    TRY(print_as_json(*ledger, std::move(count), head, filter));
  } else {
    print_counts(root, worker, count.counts);
    if (!pauses.empty()) {
      print(one_line(what_is_paused(pauses), 2000) + "; 'filecall resume --all' ends it\n");
    }
    if (arguments.has("counts")) return kExitSuccess;
    print("\n");
    TRY(print_table(*ledger, std::move(count.names), filter, pauses));
  }
  return kExitSuccess;
}

}  // namespace

int status_command(const Arguments& arguments) {
  const auto code = status(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
