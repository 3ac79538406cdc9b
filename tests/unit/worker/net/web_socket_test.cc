// SPDX-License-Identifier: MIT
#include "worker/net/web_socket.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "os/unique_fd.h"
#include "worker/net/web_socket_frames.h"
#include "worker/net/web_socket_handshake.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct WebSocketRecord final : WebSocketHandler {
  void on_open(std::string_view) override {
    is_open = true;
    if (then) then();
  }
  bool on_message(std::string_view bytes) override {
    messages.emplace_back(bytes);
    return true;
  }
  void on_done(const WebSocketResult& done) override { result = done; }

  bool is_open = false;
  std::vector<std::string> messages;
  std::optional<WebSocketResult> result;
  std::function<void()> then;
};

/// A client on a loop, and its peer, which acts only when the test says so: what meets is certain.
class WebSocketTest : public testing::Test {
 protected:
  WebSocketTest() {
    uv_loop_init(&loop_);
    listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    // What the peer does not read soon stops the client, whose buffers grow with the segments.
    const int few = 4096;
    const int small = 536;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    ::setsockopt(listener_.get(), IPPROTO_TCP, TCP_MAXSEG, &small, sizeof small);
    ::bind(listener_.get(), any, size);
    ::listen(listener_.get(), 8);
    ::getsockname(listener_.get(), any, &size);
    port_ = ntohs(address.sin_port);
  }
  ~WebSocketTest() override {
    socket_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  void open(PingClock::Limits ping = {}) {
    WebSocket::Request request;
    request.http.url = "http://127.0.0.1:" + std::to_string(port_) + "/";
    request.protocols = {"v5.x"};
    request.ping = ping;
    socket_ = WebSocket::open(&loop_, std::move(request), record_);
  }
  template <typename Is>
  void run_until(Is is) {
    while (!is()) uv_run(&loop_, UV_RUN_NOWAIT);
  }
  void run_to_the_end() {
    while (!record_.result) uv_run(&loop_, UV_RUN_ONCE);
  }

  /// The peer reads what is there.
  const std::string& read() {
    if (!peer_.is_open()) {
      peer_ = UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK));
    }
    std::array<char, 65536> bytes;
    for (ssize_t count = 1; peer_.is_open() && count > 0;) {
      count = ::recv(peer_.get(), bytes.data(), bytes.size(), 0);
      if (count > 0) read_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return read_;
  }
  void say(std::string_view bytes) {
    EXPECT_EQ(::send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// The peer has read the request and knows the answer to it, which it has not sent.
  std::string answer() {
    run_until([&] { return read().ends_with("\r\n\r\n"); });
    const std::string name = "Sec-WebSocket-Key: ";
    const std::size_t begin = read_.find(name) + name.size();
    const std::string key = read_.substr(begin, read_.find('\r', begin) - begin);
    read_.clear();
    return "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           accept_of_key(key) + "\r\nSec-WebSocket-Protocol: v5.x\r\n\r\n";
  }
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(peer_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    peer_.reset();
  }

  uv_loop_t loop_{};
  UniqueFd listener_, peer_;
  int port_ = 0;
  std::string read_;
  WebSocketRecord record_;
  std::unique_ptr<WebSocket> socket_;
};

TEST_F(WebSocketTest, ReadsWhatWasSaidBeforeAReset) {
  open();
  say(answer() + "\x82\x02" + "hi" + "\x82\x03" + "end");
  reset();
  run_to_the_end();
  EXPECT_THAT(record_.messages, ElementsAre("hi", "end"));
  EXPECT_EQ(record_.result->http.end, HttpEnd::kReset);
  EXPECT_THAT(record_.result->http.message, StartsWith("the connection broke without a close"));
  EXPECT_TRUE(record_.result->was_open && record_.result->http.was_sent);
}

TEST_F(WebSocketTest, SaysHowAConnectionBroke) {
  open();
  answer();
  reset();
  run_to_the_end();
  EXPECT_THAT(record_.result->http.message,
              StartsWith("the connection broke before the handshake was answered"));
  EXPECT_FALSE(record_.result->was_open);
  EXPECT_TRUE(record_.result->http.was_sent);
}

TEST_F(WebSocketTest, HasSentNothingWhereNobodyListens) {
  listener_.reset();
  open();
  EXPECT_FALSE(socket_->was_sent());
  run_to_the_end();
  EXPECT_EQ(record_.result->http.end, HttpEnd::kRefused);
  EXPECT_FALSE(record_.result->http.was_sent);
}

TEST_F(WebSocketTest, NoticesAPeerThatIsSilentToAPing) {
  open({milliseconds(10), milliseconds(20)});
  say(answer());
  run_to_the_end();
  EXPECT_EQ(record_.result->http.end, HttpEnd::kReset);
  EXPECT_EQ(record_.result->http.message,
            "the server has said nothing for 20ms, not even to a ping");
  EXPECT_THAT(read(), StartsWith("\x89\x80"));
}

TEST_F(WebSocketTest, LeavesAPeerAloneThatAnswersPings) {
  open({milliseconds(1), seconds(60)});
  say(answer());
  for (int i = 0; i < 5; ++i) {
    run_until([&] { return read().size() >= 6; });
    read_.clear();
    say(std::string("\x8a\x00", 2));
  }
  say("\x88\x02\x03\xe8");
  run_to_the_end();
  EXPECT_EQ(record_.result->http.end, HttpEnd::kComplete);
}

TEST_F(WebSocketTest, WaitsForAPeerThatHasNotTakenWhatWasSent) {
  open({milliseconds(1), milliseconds(1)});
  const std::string input(1024 * 1024, 'i');
  record_.then = [&] {
    for (std::size_t at = 0; at < input.size(); at += 32768) {
      socket_->send(std::string_view(input).substr(at, 32768));
    }
  };
  say(answer());
  run_until([&] { return record_.is_open; });
  for (int i = 0; i < 2000; ++i) uv_run(&loop_, UV_RUN_NOWAIT);
  EXPECT_FALSE(record_.result);
  // 32 frames with heads of 8 bytes, and a ping.
  run_until([&] { return read().size() == input.size() + std::size_t{32} * 8 + 6; });
  say(std::string("\x8a\x00", 2));  // To the ping behind it.
  run_to_the_end();
  EXPECT_THAT(record_.result->http.message, HasSubstr("not even to a ping"));
}

TEST_F(WebSocketTest, KeepsNoMorePongsThanItMay) {
  open();
  record_.then = [&] { socket_->send(std::string(900'000, 'i')); };
  say(answer());
  run_until([&] { return record_.is_open; });
  const std::string pings = [] {
    std::string all;
    for (int i = 0; i < 500; ++i) all += "\x89\x7d" + std::string(125, 'p');
    return all;
  }();
  std::size_t said = 0;
  while (!record_.result) {
    const ssize_t count = ::send(peer_.get(), pings.data() + said % pings.size(),
                                 pings.size() - said % pings.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) said += static_cast<std::size_t>(count);
    uv_run(&loop_, UV_RUN_NOWAIT);
  }
  EXPECT_THAT(record_.result->http.message, HasSubstr("too much waits to be sent"));
  EXPECT_LT(said, 16U * 1024 * 1024);
}

}  // namespace
}  // namespace filecall::worker
