// SPDX-License-Identifier: MIT
#include "worker/proc/child_run.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

extern "C" {  // glibc 2.36 forgot it in this header.
#include <sys/pidfd.h>
}

#include "os/clock.h"
#include "worker/proc/child_result.h"
#include "worker/proc/guard_arguments.h"
#include "worker/proc/own_children.h"
#include "worker/proc/tool_groups.h"

namespace filecall::worker {
namespace {

/// The tool's descendants are gone when the guard exits; a process that still holds an output pipe
/// got it from them by other ways (passed over a socket) and is not waited for longer than this.
/// Twice, because a loop that stalled sees the time run out before it reads what was there all
/// along.
constexpr Duration kForeignHolder = milliseconds(500);
/// What a guard may need beyond the kill delay before it counts as lost (stopped, for example).
constexpr Duration kGuardSlack = seconds(15);
/// What a guard that has not greeted yet may need to do so once it is not wanted any more.
constexpr Duration kGreetingSlack = seconds(2);
/// Until a guard that could not be watched for want of descriptors is tried again.
constexpr Duration kWatchAgain = milliseconds(50);
constexpr Duration kSoon = milliseconds(1);
/// How long a lost guard's processes are killed that do not die, or fork faster than they die; so
/// many passes follow each other without a turn of the loop.
constexpr Duration kKillingMax = seconds(10);
constexpr Duration kKillingPause = milliseconds(5);
constexpr int kKillingSprint = 50;
constexpr std::size_t kGreetingBytes = sizeof(guard::Greeting);
constexpr std::size_t kReportBytes = sizeof(guard::Report);

Child::Run* run_of(void* handle_data) { return static_cast<Child::Run*>(handle_data); }

}  // namespace

Child::Run::Run(uv_loop_t* loop, std::shared_ptr<GuardServer> server, ChildSpec spec, Done done)
    : loop_(loop),
      server_(std::move(server)),
      spec_(std::move(spec)),
      done_(std::move(done)),
      out_(spec_.output_bytes),
      err_(spec_.output_bytes) {}

Result<void> Child::Run::start() {
  // First: when descriptors are few, a tool needs no more of them than those of its own run.
  TRY(server_->prepare());
  TRY_ASSIGN(ChildPipes pipes, make_child_pipes(!spec_.input.empty()));
  static_assert(guard::kControlFd == 3 && guard::kReportFd == 4 && guard::kCwdFd == 5);
  TRY(server_->start(guard_arguments(server_->program(), spec_), spec_.env,
                     {pipes.in_child.get(), pipes.out_child.get(), pipes.err_child.get(),
                      pipes.control_child.get(), pipes.report_child.get(), spec_.cwd.get()}));
  self_ = shared_from_this();
  OwnChildren::of_process().expect(this, [this] {
    hear_guard();
    // The caller may be in the midst of something: what follows from it waits for the loop.
    if (!is_settled_ && read_report()) arm_timer(kSoon);
  });
  uv_timer_init(loop_, &timer_);
  timer_.data = this;
  ++open_handles_;
  arm_timer(server_->patience());
  control_ = std::move(pipes.control_ours);
  open_stream(&out_stream_, std::move(pipes.out_ours));
  open_stream(&err_stream_, std::move(pipes.err_ours));
  open_stream(&report_stream_, std::move(pipes.report_ours));
  for (Stream* stream : {&out_stream_, &err_stream_, &report_stream_}) read_stream(stream);
  if (pipes.in_ours.is_open()) {
    open_stream(&in_stream_, std::move(pipes.in_ours));
    write_input();
  }
  spec_.cwd.reset();
  return {};
}

void Child::Run::open_stream(Stream* stream, UniqueFd fd) {
  uv_pipe_init(loop_, &stream->pipe, 0);
  stream->pipe.data = this;
  ++open_handles_;
  CHECK(uv_pipe_open(&stream->pipe, fd.get()) == 0, "a fresh pipe can be opened by libuv");
  fd.release();
  stream->is_open = true;
}

void Child::Run::read_stream(Stream* stream) {
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(&stream->pipe),
      [](uv_handle_t*, std::size_t, uv_buf_t* buffer) {
        // Filled and emptied within one turn of one loop, so all streams of a thread share it.
        thread_local char bytes[64 * 1024];
        *buffer = uv_buf_init(bytes, sizeof bytes);
      },
      [](uv_stream_t* pipe, ssize_t size, const uv_buf_t* buffer) {
        if (size > 0) {
          run_of(pipe->data)->on_bytes(pipe, {buffer->base, static_cast<std::size_t>(size)});
        } else if (size < 0) {
          run_of(pipe->data)->on_end(pipe);
        }
      });
}

void Child::Run::write_input() {
  uv_buf_t buffer = uv_buf_init(spec_.input.data(), static_cast<unsigned>(spec_.input.size()));
  const auto done = [](uv_write_t* write, int) {
    // A program need not read its input: EPIPE is not an error.
    run_of(write->handle->data)->on_end(write->handle);
  };
  auto* stream = reinterpret_cast<uv_stream_t*>(&in_stream_.pipe);
  if (uv_write(&write_, stream, &buffer, 1, done) != 0) on_end(stream);
}

void Child::Run::cancel() {
  if (is_cancelled_ || is_settled_) return;
  is_cancelled_ = true;
  // The end of the file is the message; CONT in case the tool stopped its guard.
  control_.reset();
  signal_guard(SIGCONT);
  if (!has_greeted()) {
    // Its time is over, whatever the server's patience: somebody may have stopped the server.
    server_->resume();
    arm_timer(std::min(server_->patience(), kGreetingSlack));
  } else if (!has_exited_) {
    arm_timer(spec_.kill_delay + kGuardSlack);
  }
}

void Child::Run::abandon() {
  done_ = nullptr;
  spec_.on_output = nullptr;
  cancel();
}

void Child::Run::arm_timer(Duration delay) {
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(1, to_ms(delay)));
  uv_update_time(loop_);  // The loop's own idea of now is as old as its callbacks are slow.
  uv_timer_start(
      &timer_, [](uv_timer_t* timer) { run_of(timer->data)->on_timer(); }, ms, 0);
}

void Child::Run::on_bytes(uv_stream_t* stream, std::string_view bytes) {
  const auto* pipe = reinterpret_cast<uv_pipe_t*>(stream);
  if (pipe == &report_stream_.pipe) {
    on_report(bytes);
    if (read_report()) settle();
    return;
  }
  const bool is_out = pipe == &out_stream_.pipe;
  (is_out ? out_ : err_).append(bytes);
  if (spec_.on_output) {
    spec_.on_output(is_out ? OutputSource::kStdout : OutputSource::kStderr, bytes);
  }
}

void Child::Run::on_end(uv_stream_t* stream) {
  for (Stream* mine : {&in_stream_, &out_stream_, &err_stream_, &report_stream_}) {
    if (reinterpret_cast<uv_stream_t*>(&mine->pipe) == stream) mine->is_open = false;
  }
  close_handle(reinterpret_cast<uv_handle_t*>(stream));
  // Without a guard nobody's exit is waited for.
  if (!report_stream_.is_open && pid_ <= 0) settle();
  finish_when_complete();
}

void Child::Run::on_report(std::string_view bytes) {
  const bool is_first = !has_greeted();
  if (report_.size() < kGreetingBytes + kReportBytes) report_.append(bytes);
  if (is_first && has_greeted()) watch_guard();
}

void Child::Run::hear_guard() {
  uv_os_fd_t fd = -1;
  const auto* handle = reinterpret_cast<const uv_handle_t*>(&report_stream_.pipe);
  if (!report_stream_.is_open || uv_fileno(handle, &fd) != 0) return;
  char bytes[kGreetingBytes + kReportBytes];
  const ssize_t size = ::read(fd, bytes, sizeof bytes);
  if (size > 0) on_report({bytes, static_cast<std::size_t>(size)});
}

bool Child::Run::watch_guard() {
  guard::Greeting greeting;
  std::memcpy(&greeting, report_.data(), kGreetingBytes);
  // A server of another version, or one that could start nothing, says something else.
  if (greeting.magic != guard::kReportMagic || greeting.guard <= 0) return true;
  // It is our child, so its pid is its own until we reap it.
  pid_ = greeting.guard;
  OwnChildren::of_process().add_guard(pid_);
  OwnChildren::of_process().expect_no_more(this);
  pidfd_ = UniqueFd(::pidfd_open(pid_, 0));
  if (!pidfd_.is_open() && errno == ESRCH) {
    // Ended with its server before it was heard, and reaped.
    arm_timer(kSoon);
    return false;
  }
  if (!pidfd_.is_open() || uv_poll_init(loop_, &exit_watch_, pidfd_.get()) != 0) {
    // No descriptors are left just now.
    pidfd_.reset();
    arm_timer(kWatchAgain);
    return true;
  }
  exit_watch_.data = this;
  ++open_handles_;
  uv_poll_start(&exit_watch_, UV_READABLE,
                [](uv_poll_t* watch, int, int) { run_of(watch->data)->on_exit(); });
  if (is_cancelled_) {
    signal_guard(SIGCONT);
    arm_timer(spec_.kill_delay + kGuardSlack);
  } else {
    uv_timer_stop(&timer_);
  }
  return true;
}

void Child::Run::signal_guard(int signal) {
  if (pidfd_.is_open()) ::pidfd_send_signal(pidfd_.get(), signal, nullptr, 0);
}

void Child::Run::on_exit() {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0) {
    return;  // Not yet.
  }
  (info.si_code == CLD_EXITED ? guard_exit_code_ : guard_signal_) = info.si_status;
  close_handle(reinterpret_cast<uv_handle_t*>(&exit_watch_));
  on_loss();
}

void Child::Run::on_loss() {
  has_exited_ = true;
  OwnChildren::of_process().forget(pid_);
  if (const auto server = last_server_.lock()) server->forget(pid_);
  // It may have said it and ended before the loop looked.
  hear_guard();
  if (read_report()) settle();
  if (is_settled_) return;
  orphans_end_by_ = Deadline::after(monotonic_now(), kKillingMax);
  end_orphans();
}

void Child::Run::end_orphans() {
  for (int pass = 0; pass < kKillingSprint; ++pass) {
    // First: those that are killed by it cannot start others meanwhile.
    const bool has_ended = spec_.group.empty() || end_run_group(spec_.group, pid_);
    if (OwnChildren::of_process().end_orphans() && has_ended) return settle();
  }
  has_survivors_ = orphans_end_by_.is_reached(monotonic_now());
  if (has_survivors_) return settle();
  arm_timer(kKillingPause);
}

void Child::Run::settle() {
  if (is_settled_) return;
  is_settled_ = true;
  control_.reset();
  arm_timer(kForeignHolder);
  finish_when_complete();
}

void Child::Run::on_timer() {
  if (!is_settled_ && read_report()) {
    settle();
  } else if (has_exited_ && !is_settled_) {
    end_orphans();
  } else if (is_settled_ && !is_last_wait_) {
    is_last_wait_ = true;
    arm_timer(kForeignHolder);
  } else if (is_settled_) {
    close_everything();
  } else if (pid_ > 0 && !pidfd_.is_open()) {
    if (!watch_guard()) on_loss();
  } else if (has_greeted()) {
    // The guard is lost, and so is the report; on_exit() ends the rest.
    signal_guard(SIGKILL);
  } else {
    server_->end();
    // It may have been heard meanwhile.
    if (!has_greeted()) settle();
  }
}

void Child::Run::finish_when_complete() {
  if (!is_settled_) return;
  if (out_stream_.is_open || err_stream_.is_open) return;
  if (report_stream_.is_open && !read_report()) return;
  close_everything();
}

void Child::Run::close_everything() {
  control_.reset();
  OwnChildren::of_process().expect_no_more(this);
  close_handle(reinterpret_cast<uv_handle_t*>(&timer_));
  for (Stream* stream : {&in_stream_, &out_stream_, &err_stream_, &report_stream_}) {
    if (!stream->is_open) continue;
    stream->is_open = false;
    close_handle(reinterpret_cast<uv_handle_t*>(&stream->pipe));
  }
  leave_server();
  tell();
}

void Child::Run::close_handle(uv_handle_t* handle) {
  if (uv_is_closing(handle)) return;
  uv_close(handle, [](uv_handle_t* closed) { run_of(closed->data)->on_closed(); });
}

bool Child::Run::has_greeted() const { return report_.size() >= kGreetingBytes; }

std::optional<guard::Report> Child::Run::read_report() const {
  if (report_.size() < kGreetingBytes + kReportBytes) return std::nullopt;
  guard::Report report;
  std::memcpy(&report, report_.data() + kGreetingBytes, kReportBytes);
  return report;
}

void Child::Run::leave_server() {
  if (!server_) return;
  // A guard that has reported is still ours to reap, even when the loop does not turn any more.
  if (pidfd_.is_open() && !has_exited_) {
    last_server_ = server_;
    server_->expect_exit(pid_, [this] { on_exit(); });
  } else if (pid_ > 0 && !has_exited_) {
    server_->expect_exit(pid_, [guard = pid_] {
      ::waitpid(guard, nullptr, WNOHANG);
      OwnChildren::of_process().forget(guard);
    });
  }
  server_.reset();
}

void Child::Run::tell() {
  const Done done = std::exchange(done_, nullptr);
  if (!done) return;
  const std::optional<guard::Report> report = read_report();
  if (!report && pid_ <= 0) {
    done(make_unstarted_result(spec_.argv.front()));
  } else {
    ChildResult result =
        make_child_result(report, spec_.argv.front(), guard_exit_code_, guard_signal_);
    result.has_survivors = result.has_survivors || has_survivors_;
    done(std::move(result));
  }
}

void Child::Run::on_closed() {
  if (--open_handles_ > 0) return;
  const std::shared_ptr<Run> keep = std::move(self_);
}

}  // namespace filecall::worker
