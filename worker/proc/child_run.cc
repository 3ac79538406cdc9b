// SPDX-License-Identifier: MIT
#include "worker/proc/child_run.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "worker/proc/child_result.h"

namespace filecall::worker {
namespace {

/// The tool's descendants are gone when the guard exits; whoever still holds an output pipe got it
/// from them by other ways (passed over a socket) and is not waited for longer than this. Twice,
/// because a loop that stalled sees the time run out before it reads what was there all along.
constexpr Duration kForeignHolder = milliseconds(500);
/// What a guard may need beyond the kill delay before it counts as lost (stopped, for example).
constexpr Duration kGuardSlack = seconds(15);
constexpr std::size_t kReportBytes = sizeof(guard::Report);

Child::Run* run_of(void* handle_data) { return static_cast<Child::Run*>(handle_data); }

void add_option(std::vector<std::string>* args, std::string_view name,
                const std::optional<std::int64_t>& value) {
  if (value) args->push_back(fmt::format("--{}={}", name, *value));
}

void add_options(std::vector<std::string>* args, std::string_view name,
                 const std::vector<std::string>& values) {
  for (const std::string& value : values) args->push_back(fmt::format("--{}={}", name, value));
}

void add_sandbox(std::vector<std::string>* args, const ChildSandbox& sandbox) {
  if (!sandbox.is_on()) return;
  if (sandbox.level == guard::Level::kReadOnly) args->emplace_back("--sandbox=read-only");
  if (sandbox.level == guard::Level::kWorkspaceWrite) {
    args->emplace_back("--sandbox=workspace-write");
  }
  if (!sandbox.network) args->emplace_back("--no-network");
  args->push_back(fmt::format("--protections={}", sandbox.protections));
  args->push_back(fmt::format("--tmp-bytes={}", sandbox.tmp_bytes));
  add_options(args, "root", sandbox.roots);
  add_options(args, "readable", sandbox.readable);
  add_options(args, "hide", sandbox.hidden);
  add_options(args, "protect", sandbox.protect);
}

std::vector<std::string> guard_arguments(const std::string& guard, const ChildSpec& spec) {
  std::vector<std::string> args = {guard};
  add_option(&args, "memory", spec.limits.memory_bytes);
  add_option(&args, "cpu", spec.limits.cpu_seconds);
  add_option(&args, "files", spec.limits.files);
  add_option(&args, "file-bytes", spec.limits.file_bytes);
  add_option(&args, "processes", spec.limits.processes);
  add_option(&args, "kill-delay-ms", to_ms(spec.kill_delay));
  add_sandbox(&args, spec.sandbox);
  args.push_back(spec.program);
  args.insert(args.end(), spec.argv.begin(), spec.argv.end());
  return args;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

uv_stdio_container_t inherit(int fd) {
  uv_stdio_container_t container{};
  container.flags = UV_INHERIT_FD;
  container.data.fd = fd;
  return container;
}

}  // namespace

Child::Run::Run(uv_loop_t* loop, ChildSpec spec, Done done)
    : loop_(loop),
      spec_(std::move(spec)),
      done_(std::move(done)),
      out_(spec_.output_bytes),
      err_(spec_.output_bytes) {}

Result<void> Child::Run::start(const std::string& guard) {
  TRY_ASSIGN(ChildPipes pipes, make_child_pipes(!spec_.input.empty()));
  self_ = shared_from_this();
  uv_timer_init(loop_, &timer_);
  timer_.data = this;
  ++open_handles_;
  const int error = spawn(guard, &pipes);
  process_.data = this;
  ++open_handles_;  // libuv has the handle even when the spawn failed.
  if (error != 0) {
    done_ = nullptr;
    close_everything();
    return Unexpected(spawn_error(error, guard));
  }
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

int Child::Run::spawn(const std::string& guard, ChildPipes* pipes) {
  std::vector<std::string> args = guard_arguments(guard, spec_);
  std::vector<char*> arg_pointers = pointers(args);
  std::vector<char*> env_pointers = pointers(spec_.env);
  uv_stdio_container_t stdio[] = {
      inherit(pipes->in_child.get()),     inherit(pipes->out_child.get()),
      inherit(pipes->err_child.get()),    inherit(pipes->control_child.get()),
      inherit(pipes->report_child.get()), inherit(spec_.cwd.get()),
  };
  static_assert(guard::kControlFd == 3 && guard::kReportFd == 4 && guard::kCwdFd == 5);
  uv_process_options_t options{};
  options.file = guard.c_str();
  options.args = arg_pointers.data();
  options.env = env_pointers.data();
  // Its own session: Ctrl-C on the worker's terminal is the worker's to interpret.
  options.flags = UV_PROCESS_DETACHED;
  options.stdio = stdio;
  options.stdio_count = static_cast<int>(std::size(stdio));
  options.exit_cb = [](uv_process_t* process, std::int64_t exit_status, int term_signal) {
    run_of(process->data)->on_exit(static_cast<int>(exit_status), term_signal);
  };
  return uv_spawn(loop_, &process_, &options);
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
  if (is_cancelled_ || has_exited_) return;
  is_cancelled_ = true;
  // The end of the file is the message; CONT in case the tool stopped its guard.
  control_.reset();
  uv_process_kill(&process_, SIGCONT);
  arm_timer(spec_.kill_delay + kGuardSlack);
}

void Child::Run::abandon() {
  done_ = nullptr;
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
  if (pipe == &out_stream_.pipe) out_.append(bytes);
  if (pipe == &err_stream_.pipe) err_.append(bytes);
  if (pipe == &report_stream_.pipe && report_.size() < kReportBytes) report_.append(bytes);
}

void Child::Run::on_end(uv_stream_t* stream) {
  for (Stream* mine : {&in_stream_, &out_stream_, &err_stream_, &report_stream_}) {
    if (reinterpret_cast<uv_stream_t*>(&mine->pipe) == stream) mine->is_open = false;
  }
  close_handle(reinterpret_cast<uv_handle_t*>(stream));
  finish_when_complete();
}

void Child::Run::on_exit(int exit_code, int signal) {
  has_exited_ = true;
  guard_exit_code_ = exit_code;
  guard_signal_ = signal;
  control_.reset();
  arm_timer(kForeignHolder);
  finish_when_complete();
}

void Child::Run::on_timer() {
  if (has_exited_ && !is_last_wait_) {
    is_last_wait_ = true;
    arm_timer(kForeignHolder);
  } else if (has_exited_) {
    close_everything();
  } else {
    // The guard is lost. Its tool goes with it (parent-death signal), and so does the report.
    uv_process_kill(&process_, SIGKILL);
  }
}

void Child::Run::finish_when_complete() {
  if (!has_exited_) return;
  if (out_stream_.is_open || err_stream_.is_open || report_stream_.is_open) return;
  close_everything();
}

void Child::Run::close_everything() {
  control_.reset();
  close_handle(reinterpret_cast<uv_handle_t*>(&timer_));
  close_handle(reinterpret_cast<uv_handle_t*>(&process_));
  for (Stream* stream : {&in_stream_, &out_stream_, &err_stream_, &report_stream_}) {
    if (!stream->is_open) continue;
    stream->is_open = false;
    close_handle(reinterpret_cast<uv_handle_t*>(&stream->pipe));
  }
}

void Child::Run::close_handle(uv_handle_t* handle) {
  if (uv_is_closing(handle)) return;
  uv_close(handle, [](uv_handle_t* closed) { run_of(closed->data)->on_closed(); });
}

void Child::Run::on_closed() {
  if (--open_handles_ > 0) return;
  const std::shared_ptr<Run> keep = std::move(self_);
  std::optional<guard::Report> report;
  if (report_.size() >= kReportBytes) {
    std::memcpy(&report.emplace(), report_.data(), kReportBytes);
  }
  spec_.input.clear();
  if (const Done done = std::exchange(done_, nullptr)) {
    done(make_child_result(report, spec_.argv.front(), guard_exit_code_, guard_signal_));
  }
}

}  // namespace filecall::worker
