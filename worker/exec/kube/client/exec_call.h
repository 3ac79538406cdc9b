// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "loop/loop_timer.h"
#include "worker/exec/kube/client/api_call.h"
#include "worker/exec/kube/client/exec_channels.h"
#include "worker/net/web_socket.h"

namespace filecall::worker::kube {

/// A command to run in a container, without address and credentials.
struct ExecRequest {
  std::string path;  ///< Of the pod's `exec`, with its query.
  bool has_input = false;
  std::string input;  ///< Its whole standard input.
  /// The pod as it came: what is secret in it is hidden in the output.
  Json pod;
};

/// Runs one command over a WebSocket. Sent once; destroying it closes the connection, which does
/// not end the command. Loop thread only.
class ExecCall final : public WebSocketHandler {
 public:
  /// `done` is called once, perhaps before start() returns, with the exit code or a failure, and
  /// may destroy the call.
  ExecCall(uv_loop_t* loop, ApiCall::Line line, ExecRequest request,
           std::function<void(Result<std::int64_t, Failure>)> done);
  ~ExecCall() override;
  void start();

  /// Closes the connection; nobody hears of the end. What came so far can still be asked for.
  void stop();
  /// The command may have begun: the request for it has gone out.
  bool was_sent() const;
  /// See exec_output().
  Json output(std::size_t bytes_max) const;
  /// From the server's consent to the command's end, as far as that is known.
  Duration elapsed() const;

  void on_open(std::string_view protocol) override;
  bool on_message(std::string_view bytes) override;
  void on_done(const WebSocketResult& result) override;

 private:
  void send();
  void finish(Result<std::int64_t, Failure> outcome);
  Result<std::int64_t, Failure> reported();
  Failure not_opened(const WebSocketResult& result);
  Failure lost(const WebSocketResult& result) const;

  uv_loop_t* const loop_;
  ApiCall::Line line_;
  ExecRequest request_;
  std::function<void(Result<std::int64_t, Failure>)> done_;
  Redactor redactor_;
  std::unique_ptr<WebSocket> socket_;
  ExecChannels channels_;
  LoopTimer goodbye_;      ///< How long the server's close frame is waited for.
  bool was_sent_ = false;  ///< When there was a socket.
  MonotonicTime opened_at_{};
  MonotonicTime ended_at_{};
  /// False once this is gone: a credential plugin may come back later.
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace filecall::worker::kube
