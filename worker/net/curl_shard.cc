// SPDX-License-Identifier: MIT
#include "worker/net/curl_shard.h"

#include <utility>

#include "base/check.h"

namespace filecall::worker {

CurlShard::CurlShard(uv_loop_t* loop, std::size_t kept_connections_max,
                     std::function<void(CURL*, CURLcode)> on_end, std::function<void()> on_action)
    : loop_(loop),
      multi_(curl_multi_init()),
      on_end_(std::move(on_end)),
      on_action_(std::move(on_action)),
      timer_(loop, [this] { act(CURL_SOCKET_TIMEOUT, 0); }) {
  CHECK(multi_ != nullptr, "a multi handle costs only memory");
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlShard::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlShard::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(kept_connections_max));
}

CurlShard::~CurlShard() {
  CHECK(size_ == 0, "transfers end before their shard");
  curl_multi_cleanup(multi_);
}

void CurlShard::add(CURL* easy) {
  CHECK(curl_multi_add_handle(multi_, easy) == CURLM_OK, "not added twice, not from a callback");
  ++size_;
}

void CurlShard::remove(CURL* easy) {
  CHECK(curl_multi_remove_handle(multi_, easy) == CURLM_OK, "not from a callback");
  --size_;
}

int CurlShard::on_socket(CURL*, curl_socket_t fd, int what, void* self, void* socket) {
  auto* shard = static_cast<CurlShard*>(self);
  auto* poll = static_cast<SocketPoll*>(socket);
  if (what == CURL_POLL_REMOVE) {
    if (poll == nullptr) return 0;
    curl_multi_assign(shard->multi_, fd, nullptr);
    delete poll;
    return 0;
  }
  if (poll == nullptr) {
    poll = new SocketPoll(
        [&](uv_poll_t* handle) { return uv_poll_init_socket(shard->loop_, handle, fd); },
        [shard, fd](int status, int events) { shard->on_poll(fd, status, events); });
    curl_multi_assign(shard->multi_, fd, poll);
  }
  const int events = ((what & CURL_POLL_IN) != 0 ? UV_READABLE : 0) |
                     ((what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0);
  uv_poll_start(poll->get(), events, SocketPoll::call);
  return 0;
}

void CurlShard::on_poll(curl_socket_t fd, int status, int events) {
  int flags = status < 0 ? CURL_CSELECT_ERR : 0;
  if ((events & UV_READABLE) != 0) flags |= CURL_CSELECT_IN;
  if ((events & UV_WRITABLE) != 0) flags |= CURL_CSELECT_OUT;
  act(fd, flags);  // May close the handle.
}

int CurlShard::on_timer(CURLM*, long timeout_ms, void* self) {
  auto* shard = static_cast<CurlShard*>(self);
  if (timeout_ms < 0) {
    shard->timer_.stop();
  } else {
    // Rounded up: firing a hair early finds nothing due, and spins.
    shard->timer_.start(milliseconds(timeout_ms == 0 ? 0 : timeout_ms + 1));
  }
  return 0;
}

void CurlShard::act(curl_socket_t fd, int flags) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, flags, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg == CURLMSG_DONE) on_end_(message->easy_handle, message->data.result);
  }
  on_action_();
}

}  // namespace filecall::worker
