// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/net/http_client.h"

namespace filecall::worker {
namespace {

/// A server that acts only when it is told to, so that the client finds many answers at once.
class SlowPeer {
 public:
  SlowPeer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* place = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, place, size) != 0 || listen(listener_, 128) != 0) std::abort();
    getsockname(listener_, place, &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
  }
  ~SlowPeer() {
    close(listener_);
    for (const int connection : connections_) close(connection);
  }
  SlowPeer(const SlowPeer&) = delete;
  SlowPeer& operator=(const SlowPeer&) = delete;

  const std::string& url() const { return url_; }
  /// Requests that have come and were not counted before. Each is one piece of a small message.
  int take_requests() {
    for (int connection; (connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      connections_.push_back(connection);
    }
    int count = 0;
    for (const int connection : connections_) {
      char bytes[4096];
      count += recv(connection, bytes, sizeof bytes, MSG_DONTWAIT) > 0 ? 1 : 0;
    }
    return count;
  }
  /// One answer on every connection.
  void answer() const {
    const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    for (const int connection : connections_) {
      ASSERT_EQ(send(connection, text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
    }
  }

 private:
  int listener_;
  std::string url_;
  std::vector<int> connections_;
};

struct Ending final : HttpHandler {
  void on_head(int, const HttpHeaders&) override {}
  bool on_body(std::string_view) override { return true; }
  void on_complete(int status) override {
    EXPECT_EQ(status, 200);
    announced();
  }
  void on_done(const HttpResult& result) override {
    EXPECT_EQ(result.end, HttpEnd::kComplete);
    told();
  }
  std::function<void()> announced = [] {};
  std::function<void()> told = [] {};
};

class HttpClientEndsTest : public testing::Test {
 protected:
  static constexpr int kTransfers = 30;

  HttpClientEndsTest() {
    uv_loop_init(&loop_);
    client_ = HttpClient::create(&loop_, {.first_connects_max = kTransfers});
  }
  ~HttpClientEndsTest() override {
    transfers_.clear();
    client_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }
  void turn() { uv_run(&loop_, UV_RUN_NOWAIT); }
  std::size_t start(Ending& handler, bool may_use_http2 = false) {
    HttpRequest request;
    request.may_use_http2 = may_use_http2;
    request.method = "GET";
    request.url = peer_.url();
    transfers_.push_back(client_->start(std::move(request), handler));
    return transfers_.size() - 1;
  }
  /// All `endings_` are asked for, and answered in one moment that the loop does not see.
  void let_all_end_together() {
    for (Ending& ending : endings_) {
      ending.told = [this] { ++told_; };
      start(ending);
    }
    int asked = 0;
    for (int i = 0; i < 100'000 && asked < kTransfers; ++i) {
      turn();
      asked += peer_.take_requests();
    }
    ASSERT_EQ(asked, kTransfers);
    peer_.answer();
  }

  uv_loop_t loop_{};
  std::unique_ptr<HttpClient> client_;
  SlowPeer peer_;
  std::vector<Ending> endings_{kTransfers};
  std::vector<std::unique_ptr<HttpTransfer>> transfers_;
  int told_ = 0;
};

TEST_F(HttpClientEndsTest, GivesUpAConnectionInTheTurnThatBeganIt) {
  uv_prepare_t before_poll;
  uv_prepare_init(&loop_, &before_poll);
  before_poll.data = &transfers_;
  uv_prepare_start(&before_poll, [](uv_prepare_t* handle) {
    static_cast<std::vector<std::unique_ptr<HttpTransfer>>*>(handle->data)->clear();
    uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
  });
  start(endings_[0]);
  turn();
  EXPECT_TRUE(transfers_.empty());
  let_all_end_together();
  while (told_ < kTransfers) turn();
}

TEST_F(HttpClientEndsTest, AnnouncesAllThatEndTogetherBeforeItTellsOfOne) {
  int announced = 0;
  for (Ending& ending : endings_) {
    ending.announced = [&] {
      ++announced;
      EXPECT_EQ(told_, 0);
    };
  }
  let_all_end_together();
  turn();
  EXPECT_EQ(announced, kTransfers);
  EXPECT_EQ(told_, 0);
  for (int i = 0; i < kTransfers && told_ < kTransfers; ++i) {
    const int before = told_;
    turn();
    EXPECT_LE(told_ - before, 8) << "the loop has other work too";
    EXPECT_GT(told_, before);
  }
  EXPECT_EQ(told_, kTransfers);
  EXPECT_EQ(client_->in_flight(), 0u);
}

TEST_F(HttpClientEndsTest, AsksAServerWithoutTlsOnAllConnectionsBeforeItsFirstAnswer) {
  for (Ending& ending : endings_) start(ending, true);
  int asked = 0;
  for (int i = 0; i < 20'000 && asked < kTransfers; ++i) {
    turn();
    asked += peer_.take_requests();
  }
  EXPECT_EQ(asked, kTransfers);
}

TEST_F(HttpClientEndsTest, SendsWhatIsAskedForMeanwhileBeforeItTells) {
  Ending next;
  endings_[0].announced = [&] { start(next); };
  endings_[0].told = [&] {
    ++told_;
    EXPECT_EQ(peer_.take_requests(), 1);
  };
  let_all_end_together();
  for (int i = 0; i < kTransfers && told_ < kTransfers; ++i) turn();
  EXPECT_EQ(told_, kTransfers);
}

TEST_F(HttpClientEndsTest, TellsNothingOfATransferDestroyedAfterItsEnd) {
  int announced = 0;
  for (Ending& ending : endings_) {
    ending.announced = [&] { ++announced; };
  }
  let_all_end_together();
  while (announced < kTransfers) turn();
  transfers_.pop_back();
  EXPECT_EQ(client_->in_flight(), kTransfers - 1u);
  for (int i = 0; i < kTransfers; ++i) turn();
  EXPECT_EQ(told_, kTransfers - 1);
}

}  // namespace
}  // namespace filecall::worker
