// SPDX-License-Identifier: MIT
#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "loop/loop_handle.h"
#include "loop/loop_timer.h"

namespace filecall::worker {

/// One libcurl multi handle, its sockets polled and its timer kept by a libuv loop. Knows nothing
/// of what the transfers are for. Loop thread only.
class CurlShard {
 public:
  /// `on_end` is called for each easy handle that ended, outside of libcurl: it may add and remove
  /// handles. `on_action` after each call into libcurl and the ends it brought.
  CurlShard(uv_loop_t* loop, std::size_t kept_connections_max,
            std::function<void(CURL*, CURLcode)> on_end, std::function<void()> on_action);
  /// Every handle must have been removed.
  ~CurlShard();
  CurlShard(const CurlShard&) = delete;
  CurlShard& operator=(const CurlShard&) = delete;

  /// Not from within a callback of libcurl.
  void add(CURL* easy);
  void remove(CURL* easy);
  std::size_t size() const { return size_; }

 private:
  using SocketPoll = LoopHandle<uv_poll_t, int, int>;

  /// A socket that libcurl waits for, or waited for.
  struct Socket {
    std::unique_ptr<SocketPoll> poll;
    int wanted = 0;          ///< Events that libcurl waits for now.
    int polled = 0;          ///< Events that `poll` waits for.
    bool tells_end = false;  ///< It was opened here, so on_close() hears of its end.
  };

  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* assigned);
  static int on_timer(CURLM* multi, long timeout_ms, void* self);
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_close(void* self, curl_socket_t fd);
  void want(curl_socket_t fd, int events);
  /// After a call into libcurl in which so many transfers ended well: forgets sockets that may be
  /// closed.
  void look_at_released(std::size_t good_ends);
  void on_poll(curl_socket_t fd, int status, int events);
  void act(curl_socket_t fd, int flags);

  uv_loop_t* loop_;
  CURLM* multi_;
  std::function<void(CURL*, CURLcode)> on_end_;
  std::function<void()> on_action_;
  LoopTimer timer_;
  bool is_timer_due_ = false;  ///< What it is set to comes from its own callback.
  std::unordered_map<curl_socket_t, Socket> sockets_;
  bool is_acting_ = false;               ///< Within act(), which looks at `released_` itself.
  std::vector<curl_socket_t> released_;  ///< That libcurl waits for no more, but still polled.
  std::size_t size_ = 0;
};

}  // namespace filecall::worker
