// SPDX-License-Identifier: MIT
#include "tests/support/llm_endpoint/listener.h"

#include <cstring>
#include <utility>

namespace endpoint {
namespace {

constexpr int kBacklog = 4096;

}  // namespace

Listener::Listener(uv_loop_t* loop, int port, Connection::OnCall on_call)
    : on_call_(std::move(on_call)) {
  uv_tcp_init(loop, &tcp_);
  tcp_.data = this;
  sockaddr_in address{};
  uv_ip4_addr("127.0.0.1", port, &address);
  uv_tcp_bind(&tcp_, reinterpret_cast<const sockaddr*>(&address), 0);
  const int listening = uv_listen(
      reinterpret_cast<uv_stream_t*>(&tcp_), kBacklog, [](uv_stream_t* stream, int status) {
        auto* self = static_cast<Listener*>(stream->data);
        if (status == 0) Connection::accept(stream, ++self->connections_, self->on_call_);
      });
  if (listening != 0) return;
  sockaddr_storage bound{};
  int length = sizeof bound;
  uv_tcp_getsockname(&tcp_, reinterpret_cast<sockaddr*>(&bound), &length);
  sockaddr_in bound4{};
  std::memcpy(&bound4, &bound, sizeof bound4);
  port_ = ntohs(bound4.sin_port);
}

void Listener::close() { uv_close(reinterpret_cast<uv_handle_t*>(&tcp_), nullptr); }

}  // namespace endpoint
