// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tests/support/llm_endpoint/exchange.h"

namespace endpoint {

/// One client's connection: reads calls, performs the steps of their answers in order. Deletes
/// itself when the peer goes or a step closes it.
class Connection {
 public:
  using OnCall = std::function<std::vector<Step>(const HttpCall&, int connection)>;

  /// Accepts from a listening handle.
  static void accept(uv_stream_t* listener, int number, const OnCall& on_call);

 private:
  Connection(uv_loop_t* loop, int number, const OnCall& on_call);

  void on_bytes(std::string_view bytes);
  /// Takes one whole call out of `input_`.
  std::optional<HttpCall> take_call();
  void next_call();
  void next_step();
  void perform(const Step& step);
  void write(const std::string& bytes);
  void close(bool with_reset);

  uv_tcp_t tcp_{};
  uv_timer_t timer_{};
  int number_;
  const OnCall& on_call_;
  std::string input_;
  std::deque<Step> steps_;
  bool is_busy_ = false;
  bool is_closing_ = false;
  int open_handles_ = 2;
};

}  // namespace endpoint
