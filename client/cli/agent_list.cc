// SPDX-License-Identifier: MIT
// The runs of a root, from the records of its threads.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/agent/core/record_member.h"
#include "client/cli/agent_actions.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/report/text_layout.h"
#include "client/threads/run_lock.h"
#include "client/threads/run_records.h"
#include "client/threads/spilled_data.h"
#include "client/threads/thread_list.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

constexpr const char* kGoesOn = "running";
constexpr const char* kNobodyDrives = "left";
constexpr const char* kDamaged = "damaged";

struct ListedRun {
  std::string run;
  std::string thread;
  std::string at;
  std::string status = kGoesOn;
  std::string goal;
  std::int64_t bad_before = 0;  ///< Places that are no records, before it began.
  bool is_closed = false;
  bool is_cancelled = false;
  bool complete = true;
};

/// What there is, and what of it nobody can read.
struct RunList {
  std::vector<ListedRun> runs;
  std::vector<std::string> unreadable;
};

void take_course(const ThreadRecord& record, ListedRun& run) {
  if (record.type == "run.parked") run.status = "parked";
  if (record.type == "run.resumed") run.status = kGoesOn;
  if (record.type == "run.budgets" && flag_at(record.data, "continues")) run.status = kGoesOn;
  if (record.type == "run.cancelled") run.is_cancelled = true;
  if (record.type == "run.ended") run.status = text_at(record.data, "status");
}

/// Reads the records of a thread, of each run those of its course.
class RunsOfThread {
 public:
  RunsOfThread(const spool::Layout& layout, const std::string& thread, RunList& list)
      : layout_(layout), thread_(thread), list_(list) {}

  Result<void> read() {
    TRY_ASSIGN(ThreadReader reader, ThreadReader::open(layout_, thread_));
    for (;;) {
      TRY_ASSIGN(const auto record, reader.next());
      if (!record) break;
      if (!record->run.empty()) TRY(take(*record, reader.bad_count()));
    }
    for (ListedRun& run : runs_) {
      if (!run.is_closed && reader.bad_count() > run.bad_before) run.complete = false;
      // What follows a hole is not known, so nothing that is known may be the last word.
      const bool is_unsure = !run.is_closed && !run.complete && run.status != "budget";
      if (is_unsure) run.status = kDamaged;
      const bool is_open = run.status == kGoesOn || (run.is_cancelled && run.status == "parked");
      if (is_open && !is_driven(layout_, thread_, run.run)) {
        // What a cancelled one had begun is recorded when it is resumed.
        run.status = run.is_cancelled ? "cancelled" : kNobodyDrives;
      }
    }
    for (const BadLine& bad : reader.bad()) {
      if (!runs_.empty()) list_.unreadable.push_back(bad_line_text(layout_.thread(thread_), bad));
    }
    std::move(runs_.begin(), runs_.end(), std::back_inserter(list_.runs));
    return {};
  }

 private:
  Result<void> take(const ThreadRecord& record, std::int64_t bad_count) {
    auto run = std::find_if(runs_.begin(), runs_.end(),
                            [&](const ListedRun& one) { return one.run == record.run; });
    if (run == runs_.end()) {
      runs_.push_back({record.run, thread_, record.at, kGoesOn, "", bad_count});
      run = std::prev(runs_.end());
      if (record.type != "run.begun") {  // That of its beginning is damaged.
        run->complete = false;
        run->bad_before = 0;
      }
    }
    if (record.type == "run.begun") {
      const auto data = whole_value(layout_, record.data);
      if (data) {
        run->goal = text_at(*data, "goal");
      } else {
        run->complete = false;
        list_.unreadable.push_back(fmt::format("run {}: {}", record.run, data.error().message));
      }
    }
    if (run->is_closed) return {};
    take_course(record, *run);
    run->is_closed = closes_run(record);
    if (run->is_closed && bad_count > run->bad_before) run->complete = false;
    return {};
  }

  const spool::Layout& layout_;
  const std::string& thread_;
  RunList& list_;
  std::vector<ListedRun> runs_;
};

/// Those whose records nobody finds: a note of each is left.
Result<void> add_noted(const spool::Layout& layout, const std::string& only_thread, RunList& list) {
  std::set<std::string, std::less<>> known;
  for (const ListedRun& run : list.runs) known.insert(run.run);
  TRY_ASSIGN(const std::vector<std::string> noted, noted_runs(layout));
  for (const std::string& run : noted) {
    if (known.contains(run)) continue;
    const auto place = find_run_place(layout, run);
    if (!place) {
      list.unreadable.push_back(fmt::format("run {}: {}", run, place.error().message));
      continue;
    }
    const std::string thread = *place ? (*place)->thread : std::string();
    if (!*place || (!only_thread.empty() && thread != only_thread)) continue;
    const auto records = read_run(layout, thread, run);
    // Of a thread that was deleted; or its client was killed before its first record.
    if (records || records.error().code == ErrorCode::kNotFound) continue;
    list.unreadable.push_back(records.error().message);
    list.runs.push_back({run, thread, "", kDamaged, "", 0, false, false});
  }
  return {};
}

Result<RunList> list_of_runs(const spool::Layout& layout, const std::string& only_thread) {
  RunList list;
  TRY_ASSIGN(ThreadListing threads, list_threads(layout));
  list.unreadable = std::move(threads.unreadable);
  for (const ThreadSummary& thread : threads.threads) {
    // A damaged line may be that of a run's beginning.
    if (thread.runs == 0 && thread.bad_count == 0) continue;
    if (!only_thread.empty() && only_thread != thread.id) continue;
    if (const auto read = RunsOfThread(layout, thread.id, list).read(); !read) {
      list.unreadable.push_back(read.error().message);
    }
  }
  TRY(add_noted(layout, only_thread, list));
  std::stable_sort(list.runs.begin(), list.runs.end(),
                   [](const ListedRun& a, const ListedRun& b) { return a.at > b.at; });
  return list;
}

Json listed_run_json(const ListedRun& run) {
  Json json = {{"run", run.run},
               {"thread", run.thread},
               {"begun_at", run.at},
               {"status", run.status},
               {"goal", run.goal}};
  if (!run.complete) json["records_complete"] = false;
  return json;
}

}  // namespace

Result<int> agent_list(const Arguments& arguments) {
  TRY_ASSIGN(
      const spool::Root root,
      spool::Root::open(chosen_root(arguments),
                        {.allow_shared = arguments.has("allow-shared-root"), .create = false}));
  TRY_ASSIGN(const RunList list, list_of_runs(root.layout(), arguments.text("thread")));
  for (const std::string& problem : list.unreadable) print_error(problem);
  const int code = list.unreadable.empty() ? kExitSuccess : kExitGaveUp;
  if (arguments.has("json")) {
    Json runs = Json::array();
    for (const ListedRun& run : list.runs) runs.push_back(listed_run_json(run));
    print_json({{"runs", std::move(runs)}, {"unreadable", list.unreadable}});
    return code;
  }
  std::vector<std::vector<std::string>> rows = {{"RUN", "THREAD", "BEGUN", "STATUS", "GOAL"}};
  for (const ListedRun& run : list.runs) {
    rows.push_back({run.run, run.thread, run.at, run.status, one_line(run.goal, 60)});
  }
  print(table(rows));
  return code;
}

}  // namespace filecall::client
