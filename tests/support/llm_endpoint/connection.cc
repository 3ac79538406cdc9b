// SPDX-License-Identifier: MIT
#include "tests/support/llm_endpoint/connection.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace endpoint {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

struct Write {
  uv_write_t request{};
  std::string bytes;
};

// One buffer for all: reads are copied out at once.
char read_buffer[64 * 1024];

}  // namespace

Connection::Connection(uv_loop_t* loop, int number, const OnCall& on_call)
    : number_(number), on_call_(on_call) {
  uv_tcp_init(loop, &tcp_);
  uv_timer_init(loop, &timer_);
  tcp_.data = timer_.data = this;
}

void Connection::accept(uv_stream_t* listener, int number, const OnCall& on_call) {
  auto* connection = new Connection(listener->loop, number, on_call);
  auto* stream = reinterpret_cast<uv_stream_t*>(&connection->tcp_);
  if (uv_accept(listener, stream) != 0) return connection->close(false);
  uv_tcp_nodelay(&connection->tcp_, 1);
  uv_read_start(
      stream,
      [](uv_handle_t*, std::size_t, uv_buf_t* buffer) {
        *buffer = uv_buf_init(read_buffer, sizeof read_buffer);
      },
      [](uv_stream_t* handle, ssize_t count, const uv_buf_t* buffer) {
        auto* self = static_cast<Connection*>(handle->data);
        if (count < 0) return self->close(false);
        self->on_bytes({buffer->base, static_cast<std::size_t>(count)});
      });
}

void Connection::on_bytes(std::string_view bytes) {
  input_ += bytes;
  if (!is_busy_) next_call();
}

std::optional<HttpCall> Connection::take_call() {
  const auto head_end = input_.find("\r\n\r\n");
  if (head_end == std::string::npos) return std::nullopt;
  HttpCall call;
  std::size_t at = input_.find("\r\n");
  const std::string line = input_.substr(0, at);
  const auto first = line.find(' '), second = line.find(' ', first + 1);
  if (second != std::string::npos) {
    call.method = line.substr(0, first);
    call.path = line.substr(first + 1, second - first - 1);
    call.path = call.path.substr(0, call.path.find('?'));
  }
  while (at < head_end) {
    const std::size_t end = input_.find("\r\n", at + 2);
    const std::string field = input_.substr(at + 2, end - at - 2);
    const auto colon = field.find(':');
    if (colon != std::string::npos) {
      call.headers[lower(field.substr(0, colon))] =
          field.substr(std::min(field.find_first_not_of(' ', colon + 1), field.size()));
    }
    at = end;
  }
  const auto length =
      static_cast<std::size_t>(std::strtoul(call.header("content-length").c_str(), nullptr, 10));
  if (input_.size() < head_end + 4 + length) return std::nullopt;
  call.body = input_.substr(head_end + 4, length);
  input_.erase(0, head_end + 4 + length);
  return call;
}

void Connection::next_call() {
  const auto call = take_call();
  if (!call) return;
  is_busy_ = true;
  const auto steps = on_call_(*call, number_);
  steps_.assign(steps.begin(), steps.end());
  next_step();
}

void Connection::next_step() {
  while (!is_closing_ && !steps_.empty()) {
    if (steps_.front().wait_ms > 0) {
      const auto wait_ms = static_cast<std::uint64_t>(std::exchange(steps_.front().wait_ms, 0));
      uv_update_time(timer_.loop);  // The loop may have been busy since it looked.
      uv_timer_start(
          &timer_, [](uv_timer_t* timer) { static_cast<Connection*>(timer->data)->next_step(); },
          wait_ms, 0);
      return;
    }
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    perform(step);
  }
}

void Connection::perform(const Step& step) {
  switch (step.what) {
    case Step::Do::kWrite:
      return write(step.bytes);
    case Step::Do::kClose:
      return close(false);
    case Step::Do::kReset:
      return close(true);
    case Step::Do::kStall:
      return;
    case Step::Do::kEnd:
      is_busy_ = false;
      return next_call();
  }
}

void Connection::write(const std::string& bytes) {
  auto* write = new Write{{}, bytes};
  uv_buf_t buffer = uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
  write->request.data = write;
  uv_write(&write->request, reinterpret_cast<uv_stream_t*>(&tcp_), &buffer, 1,
           [](uv_write_t* request, int) { delete static_cast<Write*>(request->data); });
}

void Connection::close(bool with_reset) {
  if (std::exchange(is_closing_, true)) return;
  const auto closed = [](uv_handle_t* handle) {
    auto* self = static_cast<Connection*>(handle->data);
    if (--self->open_handles_ == 0) delete self;
  };
  uv_close(reinterpret_cast<uv_handle_t*>(&timer_), closed);
  // A reset throws away what is not written yet; a plain close waits for it.
  if (with_reset && uv_tcp_close_reset(&tcp_, closed) == 0) return;
  auto* shutdown = new uv_shutdown_t;
  const int begun =
      uv_shutdown(shutdown, reinterpret_cast<uv_stream_t*>(&tcp_), [](uv_shutdown_t* request, int) {
        auto* stream = reinterpret_cast<uv_handle_t*>(request->handle);
        delete request;
        if (!uv_is_closing(stream)) {
          uv_close(stream, [](uv_handle_t* handle) {
            auto* self = static_cast<Connection*>(handle->data);
            if (--self->open_handles_ == 0) delete self;
          });
        }
      });
  if (begun != 0) {
    delete shutdown;
    uv_close(reinterpret_cast<uv_handle_t*>(&tcp_), closed);
  }
}

}  // namespace endpoint
