// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/visible_text.h"
#include "client/approval/core/shown_approval.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "client/threads/thread_conversation.h"
#include "client/threads/thread_log.h"
#include "os/clock.h"
#include "os/process.h"
#include "spool/lock.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

constexpr std::size_t kThreadTitleColumns = 40;
constexpr std::int64_t kShownRecords = 50;
constexpr std::int64_t kShownRecordsMax = 100'000;

Json thread_summary_json(const ThreadSummary& thread) {
  Json json = {{"id", thread.id},
               {"title", thread.title},
               {"records", thread.records},
               {"runs", thread.runs},
               {"bytes", thread.bytes},
               {"bad", thread.bad_count},
               {"deleted", thread.is_deleted}};
  json["created_at"] = thread.created_at.empty() ? Json() : Json(thread.created_at);
  json["updated_at"] = thread.updated_at.empty() ? Json() : Json(thread.updated_at);
  if (!thread.parent.empty()) {
    json["parent"] = thread.parent;
    json["parent_seq"] = thread.parent_seq;
  }
  return json;
}

/// The root, which is there already, as one that may be read.
Result<spool::Layout> threads_to_read(const Arguments& arguments) {
  TRY_ASSIGN(
      const spool::Root root,
      spool::Root::open(chosen_root(arguments),
                        {.allow_shared = arguments.has("allow-shared-root"), .create = false}));
  return root.layout();
}

Result<spool::Layout> threads_to_write(const Arguments& arguments) {
  TRY_ASSIGN(
      const spool::Root root,
      spool::Root::open(chosen_root(arguments),
                        {.allow_shared = arguments.has("allow-shared-root"), .create = true}));
  return root.layout();
}

std::string new_thread_id() {
  constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
  Random random(random_seed());
  std::string id = "thread-";
  for (int i = 0; i < 10; ++i) id += kDigits[random.below(kDigits.size())];
  return id;
}

Result<ThreadLogOptions> thread_log_options(const Arguments& arguments) {
  ThreadLogOptions options;
  TRY_ASSIGN(options.durability, arguments.durability());
  options.now = wall_now();
  options.on_notice = [](const std::string& notice) { print_error(notice); };
  return options;
}

/// Prints what the thread is by now.
Result<int> print_thread(const Arguments& arguments, const spool::Layout& layout,
                         const std::string& thread, std::string_view what) {
  TRY_ASSIGN(const ThreadSummary summary, summarise_thread(layout, thread));
  if (arguments.has("json")) {
    print_json(thread_summary_json(summary));
  } else {
    print(fmt::format("{}: {} ({})\n", one_line(thread, 200), what,
                      one_line(summary.title, kThreadTitleColumns)));
  }
  return kExitSuccess;
}

Result<int> list_all_threads(const Arguments& arguments) {
  TRY_ASSIGN(const spool::Layout layout, threads_to_read(arguments));
  TRY_ASSIGN(ThreadListing listing, list_threads(layout));
  std::erase_if(listing.threads, [&](const ThreadSummary& thread) {
    return thread.is_deleted && !arguments.has("all");
  });
  for (const std::string& problem : listing.unreadable) print_error(problem);
  if (arguments.has("json")) {
    Json threads = Json::array();
    for (const ThreadSummary& thread : listing.threads)
      threads.push_back(thread_summary_json(thread));
    print_json({{"threads", std::move(threads)}, {"unreadable", listing.unreadable}});
    return kExitSuccess;
  }
  if (listing.threads.empty()) {
    print("No threads.\n");
    return kExitSuccess;
  }
  std::vector<std::vector<std::string>> rows = {{"thread", "title", "records", "runs", "changed"}};
  for (const ThreadSummary& thread : listing.threads) {
    rows.push_back({one_line(thread.id, 60) + (thread.is_deleted ? " (deleted)" : ""),
                    one_line(thread.title, kThreadTitleColumns), human_count(thread.records),
                    human_count(thread.runs), thread.updated_at});
  }
  print(table(rows, {2, 3}));
  return kExitSuccess;
}

std::string thread_record_text(const ThreadRecord& record) {
  Json data = record.data;
  hide_secrets(data, {});
  const bool is_message =
      record.type == "message" && data.contains("text") && data["text"].is_string();
  const std::string head =
      fmt::format("{:>6}  {}  {}{}{}", record.seq, record.at, one_line(record.type, 60),
                  record.run.empty() ? "" : "  ", one_line(record.run, 60));
  if (!is_message) return fmt::format("{}  {}\n", head, one_line(dump_json(data), 200));
  const std::string role = data.value("role", Json()).is_string() ? data["role"] : Json("");
  // No line of the text can look like one of this program.
  return fmt::format(
      "{}  {}:\n{}", head, one_line(role, 20),
      quoted_lines(without_controls(data["text"].get_ref<const std::string&>()), "        | "));
}

Result<int> show_thread(const Arguments& arguments, const std::string& thread) {
  TRY_ASSIGN(const spool::Layout layout, threads_to_read(arguments));
  TRY_ASSIGN(const std::int64_t last,
             arguments.integer("last", kShownRecords, 1, kShownRecordsMax));
  TRY_ASSIGN(const ThreadPage page, read_last(layout, thread, static_cast<std::size_t>(last)));
  if (arguments.has("json")) {
    Json records = Json::array();
    for (const ThreadRecord& record : page.records) {
      records.push_back(record_json(record));
      hide_secrets(records.back(), {});
    }
    Json bad = Json::array();
    for (const BadLine& one : page.bad) {
      bad.push_back({{"offset", one.offset}, {"reason", one.reason}});
    }
    print_json({{"thread", thread},
                {"records", std::move(records)},
                {"bad", std::move(bad)},
                {"complete", page.complete},
                {"has_older", page.has_older}});
    return kExitSuccess;
  }
  for (const BadLine& one : page.bad) print_error(bad_line_text(layout.thread(thread), one));
  if (page.has_older) print("(there are older records; --last shows more)\n");
  for (const ThreadRecord& record : page.records)
    print_folded(thread_record_text(record), "        | ");
  return kExitSuccess;
}

Result<int> begin_new_thread(const Arguments& arguments, const std::string& title,
                             const std::string& parent) {
  TRY_ASSIGN(const spool::Layout layout, threads_to_write(arguments));
  TRY_ASSIGN(ThreadLogOptions options, thread_log_options(arguments));
  options.title = title;
  options.must_be_new = true;
  if (!parent.empty()) {
    TRY_ASSIGN(const ThreadSummary summary, summarise_thread(layout, parent));
    TRY_ASSIGN(const ThreadPage end, read_last(layout, parent, 1));
    const std::int64_t last = end.records.empty() ? 0 : end.records.back().seq;
    TRY_ASSIGN(options.parent_seq,
               arguments.integer("at", last, 1, std::max<std::int64_t>(1, last)));
    options.parent = parent;
    if (title.empty()) options.title = summary.title + " (fork)";
  }
  const std::string id = arguments.has("thread") ? arguments.text("thread") : new_thread_id();
  TRY(ThreadLog::open(layout, id, std::move(options)));
  return print_thread(arguments, layout, id, parent.empty() ? "begun" : "forked");
}

/// Appends one record to a thread that is there. `holder`: nothing may go on in it meanwhile.
Result<int> append_to_thread(const Arguments& arguments, const std::string& thread,
                             const char* type, Json data, const std::string& holder,
                             std::string_view what) {
  TRY_ASSIGN(const spool::Layout layout, threads_to_read(arguments));
  TRY_ASSIGN(ThreadLogOptions options, thread_log_options(arguments));
  options.creates = false;
  options.holder = holder;
  TRY_ASSIGN(const auto log, ThreadLog::open(layout, thread, std::move(options)));
  TRY(log->append(type, {}, std::move(data), wall_now()));
  return print_thread(arguments, layout, thread, what);
}

Result<int> export_thread(const Arguments& arguments, const std::string& thread) {
  TRY_ASSIGN(const spool::Layout layout, threads_to_read(arguments));
  TRY_ASSIGN(const ThreadConversation conversation, read_conversation(layout, thread));
  for (const std::string& problem : conversation.problems) print_error(problem);
  print_json(conversation_json(conversation));
  return kExitSuccess;
}

/// Deletes a thread in which no run waits: it could not go on, whatever is decided.
Result<int> delete_thread(const Arguments& arguments, const std::string& thread) {
  TRY_ASSIGN(const spool::Layout layout, threads_to_read(arguments));
  std::set<std::string> open;
  TRY_ASSIGN(const ThreadCheck check,
             read_thread(layout, thread, 0, [&open](ThreadRecord&& record) -> Result<bool> {
               if (record.type == "thread.deleted") open.clear();
               if (record.type == "run.ended") open.erase(record.run);
               const bool goes_on =
                   record.type == "run.budgets" && record.data.value("continues", Json()) == true;
               if (goes_on || record.type == "run.begun") open.insert(record.run);
               return true;
             }));
  static_cast<void>(check);
  if (!open.empty() && !spool::FileLock::is_held(layout.thread_lock(thread)).value_or(false)) {
    return fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("thread {}: its run {} has not ended; 'filecall agent resume {}' goes on "
                    "with it, 'filecall agent cancel {}' ends it",
                    thread, *open.begin(), *open.begin(), *open.begin()));
  }
  return append_to_thread(arguments, thread, "thread.deleted", Json::object(), "its deletion",
                          "deleted; its records stay in the file");
}

Result<int> manage_threads(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  const std::string& verb = words[0];
  const std::size_t count = words.size() - 1;
  const std::string first = count > 0 ? words[1] : std::string();
  const std::string second = count > 1 ? words[2] : std::string();
  if (verb == "list" && count == 0) return list_all_threads(arguments);
  if (verb == "show" && count <= 1) {
    return show_thread(arguments, count == 0 ? std::string(kDefaultThread) : first);
  }
  if (verb == "export" && count <= 1) {
    return export_thread(arguments, count == 0 ? std::string(kDefaultThread) : first);
  }
  if (verb == "new" && count == 1) return begin_new_thread(arguments, first, {});
  if (verb == "fork" && count >= 1) return begin_new_thread(arguments, second, first);
  if (verb == "rename" && count == 2) {
    return append_to_thread(arguments, first, "thread.renamed", {{"title", second}}, {}, "renamed");
  }
  if (verb == "delete" && count == 1) {
    return delete_thread(arguments, first);
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("thread {}: write list, show [THREAD], new TITLE, rename THREAD TITLE, "
                          "fork THREAD [TITLE], delete THREAD or export [THREAD]",
                          one_line(verb, 60)));
}

}  // namespace

int thread_command(const Arguments& arguments) {
  const auto code = manage_threads(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
