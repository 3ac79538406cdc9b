// SPDX-License-Identifier: MIT
#include "worker/net/curl_shard.h"

#include <sys/socket.h>
#include <unistd.h>

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
  // A connection keeps these; it is closed with its multi handle, if not before.
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &CurlShard::on_open);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &CurlShard::on_close);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
  CHECK(curl_multi_add_handle(multi_, easy) == CURLM_OK, "not added twice, not from a callback");
  ++size_;
}

void CurlShard::remove(CURL* easy) {
  CHECK(curl_multi_remove_handle(multi_, easy) == CURLM_OK, "not from a callback");
  --size_;
  if (!is_acting_) look_at_released(0);
}

int CurlShard::on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  const int events = (what == CURL_POLL_REMOVE)
                         ? 0
                         : ((what & CURL_POLL_IN) != 0 ? UV_READABLE : 0) |
                               ((what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0);
  static_cast<CurlShard*>(self)->want(fd, events);
  return 0;
}

void CurlShard::want(curl_socket_t fd, int events) {
  const auto known = sockets_.try_emplace(fd).first;
  Socket& socket = known->second;
  socket.wanted = events;
  if (events == 0) {
    // A connection that is kept will be wanted again, for the same events: letting the kernel go
    // and asking it again are six system calls. Others are closed behind our back.
    if (!socket.tells_end) {
      sockets_.erase(known);
    } else if (socket.polled != 0) {
      released_.push_back(fd);
    }
    return;
  }
  if (!socket.poll) {
    socket.poll = std::make_unique<SocketPoll>(
        [&](uv_poll_t* handle) { return uv_poll_init_socket(loop_, handle, fd); },
        [this, fd](int status, int happened) { on_poll(fd, status, happened); });
  }
  if (socket.polled == events) return;
  socket.polled = events;
  uv_poll_start(socket.poll->get(), events, SocketPoll::call);
}

void CurlShard::look_at_released(std::size_t good_ends) {
  // A connection that was not made yet is closed without a word, and libuv aborts when it begins to
  // poll a number that is none any more. What a transfer that ended well had is open.
  const bool may_be_closed = released_.size() > good_ends;
  for (const curl_socket_t fd : released_) {
    const auto found = may_be_closed ? sockets_.find(fd) : sockets_.end();
    if (found == sockets_.end() || found->second.wanted != 0 || !found->second.poll) continue;
    found->second.polled = 0;
    uv_poll_stop(found->second.poll->get());
  }
  released_.clear();
}

void CurlShard::on_poll(curl_socket_t fd, int status, int events) {
  Socket& socket = sockets_.at(fd);
  if (status < 0) socket.polled = 0;  // libuv stopped it.
  if (socket.wanted == 0) {
    // Its peer closed it, or said what nobody asked for: libcurl sees that before it is used again.
    socket.polled = 0;
    uv_poll_stop(socket.poll->get());
    return;
  }
  int flags = status < 0 ? CURL_CSELECT_ERR : 0;
  if ((events & UV_READABLE) != 0) flags |= CURL_CSELECT_IN;
  if ((events & UV_WRITABLE) != 0) flags |= CURL_CSELECT_OUT;
  act(fd, flags);  // May close the handle.
}

curl_socket_t CurlShard::on_open(void* self, curlsocktype, curl_sockaddr* address) {
  const int fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  Socket opened;
  opened.tells_end = true;
  static_cast<CurlShard*>(self)->sockets_.insert_or_assign(fd, std::move(opened));
  return fd;
}

int CurlShard::on_close(void* self, curl_socket_t fd) {
  // First: the number may be another socket's at once.
  static_cast<CurlShard*>(self)->sockets_.erase(fd);
  return ::close(fd);
}

int CurlShard::on_timer(CURLM*, long timeout_ms, void* self) {
  auto* shard = static_cast<CurlShard*>(self);
  if (timeout_ms < 0) {
    shard->timer_.stop();
  } else {
    // Rounded up: firing a hair early finds nothing due, and spins. libuv runs a timer that is set
    // to zero by its own callback in the same turn, again and again while a peer sends without end.
    const bool is_at_once = timeout_ms == 0 && !shard->is_timer_due_;
    shard->timer_.start(milliseconds(is_at_once ? 0 : timeout_ms + 1));
  }
  return 0;
}

void CurlShard::act(curl_socket_t fd, int flags) {
  int running = 0;
  is_timer_due_ = fd == CURL_SOCKET_TIMEOUT;
  is_acting_ = true;
  curl_multi_socket_action(multi_, fd, flags, &running);
  int left = 0;
  std::size_t good_ends = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    if (result == CURLE_OK) ++good_ends;
    on_end_(message->easy_handle, result);
  }
  is_acting_ = false;
  look_at_released(good_ends);
  on_action_();
  is_timer_due_ = false;
}

}  // namespace filecall::worker
