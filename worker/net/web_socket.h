// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "worker/net/http_message.h"
#include "worker/net/ping_clock.h"

namespace filecall::worker {

/// How a WebSocket ended.
struct WebSocketResult {
  /// kComplete: the peer closed it in order, or it was never opened and `http.status` and `body`
  /// are the answer to the handshake. kReset: the connection broke, or the peer is dead.
  /// `was_sent`: see WebSocket::was_sent().
  HttpResult http;
  std::string body;  ///< Of an answer that opened no WebSocket; the beginning of it.
  bool was_open = false;
  int close_code = 0;        ///< Of the peer's close frame (1005: it has none); 0: none came.
  std::string close_reason;  ///< Of the same.
};

/// Receives what a WebSocket brings. All calls come from the loop, none from within open(). Only
/// on_done() may destroy the WebSocket.
class WebSocketHandler {
 public:
  virtual ~WebSocketHandler() = default;
  /// The server agreed on `protocol`.
  virtual void on_open(std::string_view protocol) = 0;
  /// A binary message. False: no more are wanted; it ends as kStopped.
  virtual bool on_message(std::string_view bytes) = 0;
  /// Called once, last; not after the WebSocket was destroyed. May destroy it.
  virtual void on_done(const WebSocketResult& result) = 0;
};

/// One WebSocket as a client (RFC 6455): libcurl makes the connection, with TLS and proxies as
/// HttpClient has them; it is shared with nothing. Binary messages alone. Destroying it closes the
/// connection, without a close frame. Loop thread only; the loop must outlive it and run once more
/// for its handles to close.
class WebSocket {
 public:
  static constexpr std::size_t kReceivedBytesMax = std::size_t{64} * 1024 * 1024;
  struct Request {
    /// `method`, `body` and what concerns a body do not count. `timeouts`: `connect`; then
    /// `first_event` until it is open; `idle` without a message, once it is; and `total`.
    HttpRequest http;
    std::vector<std::string> protocols;  ///< Subprotocols, the preferred one first; not empty.
    std::size_t received_bytes_max = kReceivedBytesMax;  ///< Else kTooLarge.
    PingClock::Limits ping;
  };

  /// The handler must outlive it.
  static std::unique_ptr<WebSocket> open(uv_loop_t* loop, Request request,
                                         WebSocketHandler& handler);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  /// One binary message, once it is open. What is queued is bounded by the caller; what this adds
  /// (pongs) by WebSocketFrames::kUnsentBytesMax.
  void send(std::string_view message);
  /// Sends a close frame behind it. on_done() follows when the peer has answered, or closes.
  void close();
  /// The whole request for the WebSocket went out: before, no server can have acted on it.
  bool was_sent() const;

 private:
  class Line;
  explicit WebSocket(std::unique_ptr<Line> line);

  std::unique_ptr<Line> line_;
};

}  // namespace filecall::worker
