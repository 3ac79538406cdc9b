// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <memory>
#include <string>

#include "worker/proc/child.h"
#include "worker/proc/child_pipes.h"

namespace filecall::worker {

/// The moving parts of one Child: six libuv handles that must outlive their close callbacks, so a
/// run holds itself until the last of them is closed. Only child.cc uses it.
class Child::Run : public std::enable_shared_from_this<Child::Run> {
 public:
  Run(uv_loop_t* loop, ChildSpec spec, Done done);

  Result<void> start(const std::string& guard);
  void cancel();
  /// The Child is gone: end the program, tell nobody.
  void abandon();

  const CapturedOutput& out() const { return out_; }
  const CapturedOutput& err() const { return err_; }
  pid_t pid() const { return process_.pid; }

 private:
  struct Stream {
    uv_pipe_t pipe{};
    bool is_open = false;
  };

  int spawn(const std::string& guard, ChildPipes* pipes);
  void open_stream(Stream* stream, UniqueFd fd);
  void read_stream(Stream* stream);
  void write_input();
  void arm_timer(Duration delay);
  void on_bytes(uv_stream_t* stream, std::string_view bytes);
  void on_end(uv_stream_t* stream);
  void on_exit(int exit_code, int signal);
  void on_timer();
  void finish_when_complete();
  void close_everything();
  void close_handle(uv_handle_t* handle);
  void on_closed();

  uv_loop_t* loop_;
  ChildSpec spec_;
  Done done_;
  std::shared_ptr<Run> self_;
  int open_handles_ = 0;

  uv_process_t process_{};
  Stream in_stream_, out_stream_, err_stream_, report_stream_;
  uv_timer_t timer_{};
  uv_write_t write_{};
  UniqueFd control_;

  CapturedOutput out_;
  CapturedOutput err_;
  std::string report_;
  bool has_exited_ = false;
  bool is_last_wait_ = false;  ///< The pipes were read at least once since it exited.
  bool is_cancelled_ = false;
  int guard_exit_code_ = 0;
  int guard_signal_ = 0;
};

}  // namespace filecall::worker
