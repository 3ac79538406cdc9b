// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ipc/effects.h"

namespace filecall::spool {

inline constexpr std::string_view kDefaultRoot = "/tmp/copilot-evaluation";
inline constexpr std::string_view kRootVariable = "FILECALL_ROOT";

/// The one owner of on-disk names: builds every path below a root and reads every name found there.
/// Nobody else joins a path or looks at a suffix. Pure; copies freely. What only a client reads and
/// writes lies in its home: the root itself, or a directory of the user's own in a group's root.
class Layout {
 public:
  /// `root` must not be empty; a trailing slash is dropped.
  explicit Layout(std::string root);
  /// Of a group's root.
  Layout(std::string root, std::string home);

  const std::string& root() const { return root_; }
  const std::string& home() const { return home_; }
  bool is_of_group() const { return home_ != root_; }
  /// The homes of the members of a group.
  std::string users() const { return root_ + "/users"; }

  std::string requests() const { return root_ + "/requests"; }
  std::string responses() const { return root_ + "/responses"; }
  std::string failed() const { return home_ + "/failed"; }
  std::string eval() const { return home_ + "/eval"; }
  std::string events() const { return root_ + "/events"; }

  /// What was run: one record and one list of requests a run.
  std::string runs() const { return home_ + "/runs"; }
  std::string run(std::string_view run_id) const { return runs() + "/" + file_name(run_id); }
  std::string run_items(std::string_view run_id) const {
    return runs() + "/" + run_items_name(run_id);
  }
  static std::string run_items_name(std::string_view run_id) {
    return std::string(run_id) + ".items.jsonl";
  }
  /// In runs/: the id of the run that began last.
  static std::string latest_run_name() { return "latest"; }

  /// Conversations of agents, a log each: threads/{thread}.jsonl.
  std::string threads() const { return home_ + "/threads"; }
  std::string thread(std::string_view thread_id) const {
    return threads() + "/" + thread_name(thread_id);
  }
  static std::string thread_name(std::string_view thread_id) {
    return std::string(thread_id) + ".jsonl";
  }
  /// The thread of such a name; nullopt for any other. A view into `file_name`.
  static std::optional<std::string_view> thread_of_name(std::string_view file_name);
  /// Held by the run that goes on in the thread.
  std::string thread_lock(std::string_view thread_id) const {
    return threads() + "/" + std::string(thread_id) + ".lock";
  }
  /// What is too large for a line of a thread, each by its SHA-256 (64 hex digits).
  std::string threads_data() const { return threads() + "/data"; }
  std::string thread_data(std::string_view sha256) const {
    return threads_data() + "/" + file_name(sha256);
  }
  /// Which thread a run of an agent belongs to: a small file for each run.
  std::string threads_runs() const { return threads() + "/runs"; }
  std::string thread_of_run(std::string_view run_id) const {
    return threads_runs() + "/" + file_name(run_id);
  }

  /// What agents want to do and what was decided.
  std::string approvals() const { return home_ + "/approvals"; }
  std::string approval_requests() const { return approvals() + "/requests"; }
  std::string approval_request(std::string_view id) const {
    return approval_requests() + "/" + file_name(id);
  }
  std::string approval_responses() const { return approvals() + "/responses"; }
  std::string approval_response(std::string_view id) const {
    return approval_responses() + "/" + file_name(id);
  }
  /// Decisions that do not count, set aside.
  std::string approvals_refused() const { return approvals() + "/refused"; }
  /// Sets of changes that wait for a person.
  std::string proposals() const { return home_ + "/proposals"; }
  std::string proposal(std::string_view id) const { return proposals() + "/" + file_name(id); }

  /// What people have paused.
  std::string paused() const { return root_ + "/paused"; }

  std::string worker() const { return root_ + "/worker"; }
  std::string worker_lock() const { return worker() + "/lock"; }
  /// Says to clients whether a worker lives. In a group's root it is another file: who may open a
  /// lock may hold it, and would keep a worker from starting.
  std::string worker_alive() const { return is_of_group() ? worker_life() : worker_lock(); }
  /// That other file.
  std::string worker_life() const { return worker() + "/alive"; }
  std::string worker_status() const { return worker() + "/status.json"; }
  std::string worker_launch() const { return worker() + "/launch.json"; }
  std::string worker_tmp() const { return worker() + "/tmp"; }
  std::string worker_started() const { return worker() + "/started"; }
  std::string worker_journal() const { return worker() + "/journal"; }
  std::string worker_late() const { return worker() + "/late"; }
  /// Records of changes of files, one for each request that makes some and is not answered.
  std::string worker_changes() const { return worker() + "/changes"; }
  std::string worker_log() const { return worker() + "/log"; }

  std::string client() const { return home_ + "/client"; }
  std::string client_database() const { return client() + "/state.db"; }
  std::string client_locks() const { return client() + "/locks"; }
  std::string client_lock(std::string_view owner) const {
    return client_locks() + "/" + std::string(owner) + ".lock";
  }
  std::string client_watch_lock() const { return client() + "/watch.lock"; }
  /// Held while grades are written.
  std::string client_eval_lock() const { return client() + "/eval.lock"; }
  /// Held while a request is edited: two that take one back at once would end it.
  std::string client_edit_lock() const { return client() + "/edit.lock"; }
  /// Held while a run's record is looked for and made.
  std::string client_runs_lock() const { return client() + "/runs.lock"; }
  /// Held by the client that drives the run.
  std::string client_run_locks() const { return client() + "/runs"; }
  std::string client_run_lock(std::string_view run_id) const {
    return client_run_locks() + "/" + std::string(run_id) + ".lock";
  }
  /// Held while a worker is started.
  std::string client_start_lock() const { return client() + "/start.lock"; }
  /// What a worker printed before its own log was open.
  std::string client_start_log() const { return client() + "/worker-start.log"; }
  std::string client_tmp() const { return client() + "/tmp"; }
  std::string client_batches() const { return client() + "/batches"; }
  /// Answers that the client took out of a cache; responses/ is the worker's.
  std::string client_answers() const { return client() + "/answers"; }
  /// What decisions on approvals are signed with.
  std::string client_approval_key() const { return client() + "/approval.key"; }
  /// What was done with proposals: one record for each.
  std::string client_proposals() const { return client() + "/proposals"; }
  /// Which answers a look at the root has read; may be removed at any time.
  std::string client_seen() const { return client() + "/seen-answers"; }

  std::string client_answer(std::string_view stem) const {
    return client_answers() + "/" + file_name(stem);
  }
  std::string request(std::string_view stem) const { return requests() + "/" + file_name(stem); }
  std::string response(std::string_view stem) const { return responses() + "/" + file_name(stem); }
  std::string failed(std::string_view stem) const { return failed() + "/" + file_name(stem); }
  std::string eval(std::string_view stem) const { return eval() + "/" + file_name(stem); }
  /// What evaluations say of answers, a line each.
  std::string grades() const { return eval() + "/grades.jsonl"; }
  /// What people say of answers, a line each.
  std::string labels() const { return eval() + "/labels.jsonl"; }
  /// Which of two answers judges prefer, a line for each pair.
  std::string preferences() const { return eval() + "/preferences.jsonl"; }
  std::string events(std::string_view stem) const {
    return events() + "/" + std::string(stem) + ".jsonl";
  }

  /// "{stem}.json"
  static std::string file_name(std::string_view stem);
  /// Where an unreadable response to `attempt` is kept, in failed/: "{stem}.json.unreadable-{n}".
  static std::string unreadable_name(std::string_view stem, int attempt);
  /// The stem of such a name; nullopt for any other.
  static std::optional<std::string_view> stem_of_unreadable(std::string_view file_name);
  /// The stem of a request's or response's file name; nullopt for a foreign name (no ".json", a
  /// leading dot, or not a valid stem). A view into `file_name`.
  static std::optional<std::string_view> stem_of(std::string_view file_name);
  /// A name that no watcher takes for a request or a response:
  /// ".filecall-{process}-{sequence}.tmp". `process` is random, since a pid is not unique among
  /// containers that share a root.
  static std::string temporary_name(std::uint64_t process, std::uint64_t sequence);
  /// Whether a name was made by temporary_name (by any process).
  static bool is_temporary(std::string_view file_name);
  /// A temporary that proves that events arrive: ".filecall-cookie-{process}-{sequence}.tmp".
  static std::string cookie_name(std::uint64_t process, std::uint64_t sequence);
  static bool is_cookie(std::string_view file_name);
  /// A file of the journal, in worker/journal/: "{number}.log".
  static std::string journal_segment_name(int number) { return std::to_string(number) + ".log"; }
  static bool is_journal_segment(std::string_view file_name);
  /// Where a file is kept that was found in the stead of a segment.
  static std::string damaged_journal_name(const std::string& segment) {
    return segment + ".damaged";
  }
  static bool is_damaged_journal(std::string_view file_name);
  /// The number of a segment, damaged or not.
  static std::optional<int> journal_number(std::string_view file_name);

 private:
  std::string root_;
  std::string home_;
};

/// Name of a file in `worker/started/`: "{stem}.{starts}.{effects}". The file says "this request
/// was started so many times and is not answered". Publishing its answer renames this very file
/// into `responses/`, so "started" and "answered" change in one atomic step.
struct StartRecordName {
  std::string stem;
  int starts = 1;  ///< >= 1
  Effects effects = Effects::kNone;

  std::string format() const;
  static std::optional<StartRecordName> parse(std::string_view file_name);
  bool operator==(const StartRecordName&) const = default;
};

/// --root if given, else the value of $FILECALL_ROOT if set, else the default. The environment
/// comes in as a value.
std::string choose_root(std::string_view option, const char* variable_value);

}  // namespace filecall::spool
