// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include "tests/support/llm_endpoint/connection.h"

namespace endpoint {

/// Listens on 127.0.0.1 and serves every connection with `on_call`. Lives on somebody's loop.
class Listener {
 public:
  /// `port` 0: any. port() is 0 when it could not listen.
  Listener(uv_loop_t* loop, int port, Connection::OnCall on_call);
  /// Takes no more connections; those that are open stay. The loop must run once more.
  void close();

  int port() const { return port_; }
  /// Accepted so far.
  int connections() const { return connections_; }

 private:
  uv_tcp_t tcp_{};
  Connection::OnCall on_call_;
  int port_ = 0;
  int connections_ = 0;
};

}  // namespace endpoint
