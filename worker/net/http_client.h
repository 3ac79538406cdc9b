// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstddef>
#include <memory>

#include "base/time.h"
#include "worker/net/http_message.h"
#include "worker/net/transfer.h"

namespace filecall::worker {

struct HttpClientOptions {
  /// libcurl's cost per event grows with the handles of one multi: more transfers, more multis.
  std::size_t shard_transfers_max = 250;
  /// Kept connections, per shard.
  std::size_t kept_connections_max = 250;
  /// Transfers to one host that may begin before one of them is connected: a name is resolved (by
  /// one thread each) and a TLS session made a few times and not a thousand times.
  std::size_t first_connects_max = 4;
};

/// A transfer of HttpClient. Destroying it closes the connection, so that the peer stops working on
/// the answer.
class HttpTransfer final : public Transfer {
 public:
  ~HttpTransfer() override;
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  void progress() override;
  void end_within(Duration left) override;

 private:
  friend class HttpClient;
  struct Running;
  explicit HttpTransfer(std::unique_ptr<Running> running);

  std::unique_ptr<Running> running_;
};

/// HTTP/1.1, and HTTP/2 where a request allows it, over libcurl's multi interface, driven by a
/// libuv loop: thousands of transfers on the loop's thread, which is the only one that may call it.
/// Names, TLS sessions and connections are shared between transfers; connections only between
/// those with one HttpRequest::keep_alive, since libcurl closes whatever is older than what the
/// transfer at hand allows. One client serves a whole worker. Environment read: the proxy
/// variables.
class HttpClient {
 public:
  /// The loop must outlive it, and run once more after it for its handles to close.
  static std::unique_ptr<HttpClient> create(uv_loop_t* loop, const HttpClientOptions& options = {});
  /// Every transfer must have been destroyed.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// The handler must outlive the transfer.
  std::unique_ptr<HttpTransfer> start(HttpRequest request, HttpHandler& handler);
  /// Transfers begun and not ended, and those that wait for a first connection.
  std::size_t in_flight() const;

 private:
  using Running = HttpTransfer::Running;
  friend struct HttpTransfer::Running;
  class Multi;
  HttpClient(uv_loop_t* loop, const HttpClientOptions& options);

  std::unique_ptr<Multi> multi_;
};

}  // namespace filecall::worker
