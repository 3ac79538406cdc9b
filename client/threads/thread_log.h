// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/threads/thread_record.h"
#include "ipc/durability.h"
#include "os/unique_fd.h"
#include "spool/layout.h"
#include "spool/lock.h"

namespace filecall::client {

/// The thread that is used when none is named.
inline constexpr std::string_view kDefaultThread = "default";

struct ThreadLogOptions {
  Durability durability = Durability::kFull;
  /// A thread that is not there, or was deleted, begins: its first record is thread.created with
  /// `title` (empty: "Default" for the default thread, else its id).
  bool creates = true;
  std::string title;
  /// A thread that is there already is a failure (already_exists).
  bool must_be_new = false;
  std::string parent;           ///< The thread that this one is forked from; empty: none.
  std::int64_t parent_seq = 0;  ///< Its last record that belongs to this one, too.
  /// A run goes on in the thread as long as the log lives, and no other one; what is here says
  /// which: "run run-abc, process 123". Empty: only a note is appended, whatever goes on.
  std::string holder;
  WallTime now{};
  /// Hears of a torn line that was set aside.
  std::function<void(const std::string&)> on_notice = [](const std::string&) {};
};

/// Appends records to threads/{thread}.jsonl. Each append takes the file's lock for its own time,
/// so that others may append as well, as a person does who steers a run. A last line that a killed
/// writer left is set aside before. Blocking; one thread.
class ThreadLog {
 public:
  /// The root was opened before. Failures: unavailable, another run goes on in the thread (the
  /// message says which); not_found, there is no such thread, or it was deleted, and `creates` is
  /// false; already_exists, as the options say; invalid_argument, that is no id; those of a
  /// threads/ that is not ours; the file's.
  static Result<std::unique_ptr<ThreadLog>> open(const spool::Layout& layout, std::string thread,
                                                 ThreadLogOptions options);

  /// Durable when it returns, as the options say. Returns the record's number. `data` is an object;
  /// what is larger than kRecordDataBytesMax is spilled. Failure: nothing was appended, but after a
  /// failed sync, which the log does not survive: open it again.
  Result<std::int64_t> append(std::string type, std::string run, Json data, WallTime at);
  /// The same for several, all or none, with one sync. Returns the number of the last.
  Result<std::int64_t> append_all(std::vector<NewRecord> records, WallTime at);

  const std::string& thread() const { return thread_; }
  /// The number of the last record that is known; others may have appended more.
  std::int64_t last_seq() const { return last_seq_; }

 private:
  ThreadLog(spool::Layout layout, std::string thread, ThreadLogOptions options, UniqueFd fd)
      : layout_(std::move(layout)),
        thread_(std::move(thread)),
        options_(std::move(options)),
        fd_(std::move(fd)) {}
  Result<void> begin_thread();
  Result<void> catch_up();
  Result<std::string> lines_of(std::vector<NewRecord> records, WallTime at);
  Result<void> write(const std::string& lines);

  spool::Layout layout_;
  std::string thread_;
  ThreadLogOptions options_;
  UniqueFd fd_;
  std::optional<spool::FileLock> run_lock_;
  std::int64_t last_seq_ = 0;
  std::int64_t size_ = -1;  ///< Of the file when `last_seq_` was read; -1: not yet.
  bool is_broken_ = false;
};

}  // namespace filecall::client
