// SPDX-License-Identifier: MIT
// A whole HTTP exchange with a peer that sends these bytes and closes. However they are no HTTP:
// the transfer ends once, within what it may keep, and a success has a status and its whole body.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "loop/event_loop.h"
#include "os/unique_fd.h"
#include "worker/net/http_client.h"

namespace {

using namespace filecall;
using namespace filecall::worker;

constexpr std::size_t kBodyBytesMax = 8 * 1024;

/// Answers each connection with the same bytes, on a thread of its own.
class Peer {
 public:
  Peer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    CHECK(::bind(listener_.get(), raw, size) == 0 && ::listen(listener_.get(), 16) == 0 &&
              ::getsockname(listener_.get(), raw, &size) == 0,
          "a port of this machine");
    port_ = ntohs(address.sin_port);
    std::thread([this] { serve(); }).detach();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  void set_answer(std::string_view bytes) {
    const std::lock_guard hold(mutex_);
    answer_ = bytes;
  }

 private:
  void serve() {
    for (;;) {
      const UniqueFd peer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::string request;
      char buffer[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t count = ::recv(peer.get(), buffer, sizeof(buffer), 0);
        if (count <= 0) break;
        request.append(buffer, static_cast<std::size_t>(count));
      }
      const std::lock_guard hold(mutex_);
      (void)::send(peer.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
      ::shutdown(peer.get(), SHUT_WR);
    }
  }

  UniqueFd listener_;
  int port_ = 0;
  std::mutex mutex_;
  std::string answer_;
};

struct Record final : HttpHandler {
  void on_head(int head_status, const HttpHeaders& headers) override {
    CHECK(ends == 0 && status == 0, "there is one head, and it comes first");
    status = head_status;
    for (const auto& [name, value] : headers.fields()) {
      CHECK(value.find('\n') == std::string::npos, "a field is one line");
    }
  }
  bool on_body(std::string_view bytes) override {
    CHECK(ends == 0 && status != 0, "a body comes after its head");
    size += bytes.size();
    CHECK(size <= kBodyBytesMax, "a body is bounded");
    return true;
  }
  void on_done(const HttpResult& result) override {
    ++ends;
    CHECK(result.end != HttpEnd::kComplete || result.status == status, "a success has a status");
    CHECK(result.end != HttpEnd::kComplete || status >= 200, "and it is a final one");
    CHECK(result.end == HttpEnd::kComplete || !result.message.empty() ||
              !reason_to_refuse(result.end).empty(),
          "a failure has a reason");
    CHECK(!to_string(result.end).empty(), "an end has a name");
  }

  int status = 0;
  int ends = 0;
  std::size_t size = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Peer peer;
  static const auto loop = EventLoop::open();
  static const auto client = HttpClient::create((*loop)->get());
  if (size > 32 * 1024) return 0;
  peer.set_answer({reinterpret_cast<const char*>(data), size});
  Record record;
  HttpRequest request;
  request.url = peer.url();
  request.body = "{}";
  request.accepts_gzip = size % 2 == 0;
  request.body_bytes_max = kBodyBytesMax;
  request.timeouts = {seconds(20), seconds(20), seconds(20), seconds(20)};
  const auto transfer = client->start(std::move(request), record);
  (*loop)->run_while([&] { return record.ends == 0; });
  CHECK(record.ends == 1, "a transfer ends once");
  return 0;
}
