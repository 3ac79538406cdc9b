// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "worker/proc/child.h"
#include "worker/proc/child_pipes.h"
#include "worker/proc/guard/report.h"

namespace filecall::worker {

/// The moving parts of one Child: libuv handles that must outlive their close callbacks, so a
/// run holds itself until the last of them is closed. Only child.cc uses it.
class Child::Run : public std::enable_shared_from_this<Child::Run> {
 public:
  Run(uv_loop_t* loop, std::shared_ptr<GuardServer> server, ChildSpec spec, Done done);

  Result<void> start();
  void cancel();
  /// The Child is gone: end the program, tell nobody.
  void abandon();

  const CapturedOutput& out() const { return out_; }
  const CapturedOutput& err() const { return err_; }
  pid_t pid() const { return pid_; }

 private:
  struct Stream {
    uv_pipe_t pipe{};
    bool is_open = false;
  };

  void open_stream(Stream* stream, UniqueFd fd);
  void read_stream(Stream* stream);
  void write_input();
  void arm_timer(Duration delay);
  void on_bytes(uv_stream_t* stream, std::string_view bytes);
  void on_end(uv_stream_t* stream);
  void on_report(std::string_view bytes);
  /// Reads what the guard has said until now.
  void hear_guard();
  /// The guard has greeted: its exit is waited for. False: it was reaped already.
  bool watch_guard();
  void signal_guard(int signal);
  void on_exit();
  /// The guard has exited and was reaped.
  void on_loss();
  /// The guard is lost: ends what it has left, and settles.
  void end_orphans();
  /// The guard has reported, or is gone: nothing of the program runs any more, and what its pipes
  /// still hold is read.
  void settle();
  void on_timer();
  void finish_when_complete();
  void close_everything();
  void close_handle(uv_handle_t* handle);
  /// Needs no more guards; the server sees to it that this one is reaped.
  void leave_server();
  /// Calls `done`, if it was not.
  void tell();
  void on_closed();
  bool has_greeted() const;
  std::optional<guard::Report> read_report() const;

  uv_loop_t* loop_;
  std::shared_ptr<GuardServer> server_;     ///< Until everything is closed.
  std::weak_ptr<GuardServer> last_server_;  ///< Then, while the guard has not exited.
  ChildSpec spec_;
  Done done_;
  std::shared_ptr<Run> self_;
  int open_handles_ = 0;

  pid_t pid_ = -1;          ///< Of the guard, once it has greeted.
  UniqueFd pidfd_;          ///< The same.
  uv_poll_t exit_watch_{};  ///< Of pidfd_.
  Stream in_stream_, out_stream_, err_stream_, report_stream_;
  uv_timer_t timer_{};
  uv_write_t write_{};
  UniqueFd control_;

  CapturedOutput out_;
  CapturedOutput err_;
  std::string report_;
  bool is_settled_ = false;
  bool has_exited_ = false;    ///< And was reaped.
  bool is_last_wait_ = false;  ///< The pipes were read at least once since then.
  bool is_cancelled_ = false;
  Deadline orphans_end_by_;     ///< Never: nothing was left by a lost guard.
  bool has_survivors_ = false;  ///< Of a lost guard.
  int guard_exit_code_ = 0;
  int guard_signal_ = 0;
};

}  // namespace filecall::worker
