// SPDX-License-Identifier: MIT
#include "worker/net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/base64.h"
#include "tests/support/llm_endpoint/listener.h"

namespace filecall::worker {
namespace {

using endpoint::Step;
using testing::HasSubstr;

struct Record final : HttpHandler {
  void on_head(int status, const HttpHeaders&) override { head = status; }
  bool on_body(std::string_view bytes) override {
    body += bytes;
    if (on_bytes) on_bytes();
    return body.size() < wanted;
  }
  void on_done(const HttpResult& done) override {
    result = done;
    ++ends;
    if (then) then();
    if (waiting_loop != nullptr) uv_stop(waiting_loop);
  }

  int head = 0;
  int ends = 0;
  std::string body;
  HttpResult result;
  std::size_t wanted = std::string::npos;
  std::function<void()> on_bytes;
  std::function<void()> then;
  uv_loop_t* waiting_loop = nullptr;
};

/// A client and a server on one loop. The server answers with `answer`'s steps.
class HttpClientTest : public testing::Test {
 protected:
  HttpClientTest() {
    uv_loop_init(&loop_);
    client_ = HttpClient::create(&loop_);
    listener_ = std::make_unique<endpoint::Listener>(
        &loop_, 0, [this](const endpoint::HttpCall& call, int connection) {
          calls_.push_back(call);
          used_connections_.insert(connection);
          return answer_;
        });
  }
  ~HttpClientTest() override {
    client_.reset();
    listener_->close();
    uv_walk(
        &loop_,
        [](uv_handle_t* handle, void*) {
          if (handle->type == UV_TIMER && !uv_is_closing(handle)) {
            uv_timer_stop(reinterpret_cast<uv_timer_t*>(handle));
          }
        },
        nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);  // Until the last connection has seen its peer go.
    uv_loop_close(&loop_);
  }

  HttpRequest request(const std::string& body = "{}") const {
    HttpRequest request;
    request.url = "http://127.0.0.1:" + std::to_string(listener_->port()) + "/v1/test";
    request.body = body;
    return request;
  }
  /// Runs the loop until the record has ended.
  static void wait(uv_loop_t* loop, Record& record) {
    record.waiting_loop = loop;
    while (record.ends == 0) ASSERT_NE(uv_run(loop, UV_RUN_DEFAULT), 0) << "nothing to wait for";
    record.waiting_loop = nullptr;
  }
  /// One whole transfer.
  Record run(HttpRequest wanted) {
    Record record;
    const auto transfer = client_->start(std::move(wanted), record);
    wait(&loop_, record);
    return record;
  }
  void answer(std::vector<Step> steps) { answer_ = std::move(steps); }

  uv_loop_t loop_{};
  std::unique_ptr<HttpClient> client_;
  std::unique_ptr<endpoint::Listener> listener_;
  std::vector<Step> answer_ = {
      {0, Step::Do::kWrite, endpoint::http_answer(200, "text/plain", "hi")},
      {0, Step::Do::kEnd, ""}};
  std::vector<endpoint::HttpCall> calls_;
  std::set<int> used_connections_;
};

const std::string kHead = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

TEST_F(HttpClientTest, PostsABodyAndHandsOverWhatComesBack) {
  answer({{0, Step::Do::kWrite,
           endpoint::http_answer(429, "application/json", "[1]", "X-Limit:  a b \r\n")},
          {0, Step::Do::kEnd, ""}});
  HttpRequest wanted = request("{\"a\":1}");
  wanted.headers = {{"Content-Type", "application/json"}};
  wanted.secret_headers = {{"Authorization", Secret("Bearer key-of-mine")}};
  const Record record = run(std::move(wanted));
  EXPECT_EQ(record.result.end, HttpEnd::kComplete);
  EXPECT_EQ(record.result.status, 429);
  EXPECT_EQ(record.head, 429);
  EXPECT_EQ(record.body, "[1]");
  EXPECT_EQ(record.result.headers.find("x-limit"), "a b");
  EXPECT_TRUE(record.result.was_sent);
  EXPECT_GT(record.result.connected, Duration::zero());
  EXPECT_GE(record.result.elapsed, record.result.first_byte);
  ASSERT_EQ(calls_.size(), 1u);
  EXPECT_EQ(calls_[0].method, "POST");
  EXPECT_EQ(calls_[0].body, "{\"a\":1}");
  EXPECT_EQ(calls_[0].header("authorization"), "Bearer key-of-mine");
  EXPECT_EQ(calls_[0].header("expect"), "");
}

TEST_F(HttpClientTest, GetsWithoutABody) {
  HttpRequest wanted = request("");
  wanted.method = "GET";
  EXPECT_EQ(run(std::move(wanted)).body, "hi");
  EXPECT_EQ(calls_[0].method, "GET");
  EXPECT_EQ(calls_[0].header("content-length"), "");
}

TEST_F(HttpClientTest, UsesAConnectionAgain) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run(request()).body, "hi");
  EXPECT_EQ(listener_->connections(), 1);
}

TEST_F(HttpClientTest, KeepsAConnectionAsLongAsItsRequestSays) {
  const auto run_kept_for = [&](std::chrono::seconds time) {
    HttpRequest wanted = request();
    wanted.keep_alive = time;
    EXPECT_EQ(run(std::move(wanted)).body, "hi");
  };
  run_kept_for(seconds(60));
  run_kept_for(seconds(0));  // On a connection of its own, which is closed before the next begins.
  EXPECT_EQ(listener_->connections(), 2);
  run_kept_for(seconds(60));  // That of the first has outlived it.
  EXPECT_EQ(listener_->connections(), 2);
  run_kept_for(seconds(0));
  EXPECT_EQ(listener_->connections(), 3);
}

TEST_F(HttpClientTest, NeverSendsARequestTwiceWhenAKeptConnectionTurnsOutToBeClosed) {
  EXPECT_EQ(run(request()).body, "hi");
  answer({{0, Step::Do::kClose, ""}});
  const Record record = run(request());
  EXPECT_EQ(record.result.end, HttpEnd::kReset);
  EXPECT_TRUE(record.result.was_sent);
  EXPECT_EQ(record.result.message, reason_to_refuse(HttpEnd::kReset));
  EXPECT_EQ(calls_.size(), 2u);
}

TEST_F(HttpClientTest, RestsWhenThePeerClosesAKeptConnectionAndMakesAnotherForTheNextRequest) {
  answer({{0, Step::Do::kWrite, endpoint::http_answer(200, "text/plain", "hi")},
          {0, Step::Do::kClose, ""}});
  EXPECT_EQ(run(request()).body, "hi");
  bool is_over = false;
  uv_timer_t timer;
  uv_timer_init(&loop_, &timer);
  timer.data = &is_over;
  uv_timer_start(
      &timer, [](uv_timer_t* self) { *static_cast<bool*>(self->data) = true; }, 50, 0);
  int turns = 0;
  for (; !is_over; ++turns) uv_run(&loop_, UV_RUN_ONCE);
  EXPECT_LT(turns, 100) << "a socket that nobody wants is polled again and again";
  uv_close(reinterpret_cast<uv_handle_t*>(&timer), nullptr);
  uv_run(&loop_, UV_RUN_NOWAIT);
  EXPECT_EQ(run(request()).body, "hi");
  EXPECT_EQ(listener_->connections(), 2);
}

TEST_F(HttpClientTest, BeginsFewTransfersToAHostUntilOneIsConnectedAndThenAll) {
  std::vector<Record> records(300);
  std::vector<std::unique_ptr<HttpTransfer>> transfers;
  answer({{30, Step::Do::kWrite, endpoint::http_answer(200, "text/plain", "hi")},
          {0, Step::Do::kEnd, ""}});
  for (Record& record : records) transfers.push_back(client_->start(request(), record));
  EXPECT_EQ(client_->in_flight(), 300u);
  for (Record& record : records) wait(&loop_, record);
  EXPECT_EQ(client_->in_flight(), 0u);
  EXPECT_EQ(calls_.size(), 300u);
  for (const Record& record : records) EXPECT_EQ(record.body, "hi");
}

TEST_F(HttpClientTest, SpreadsTransfersOverShards) {
  client_ = HttpClient::create(&loop_, {.shard_transfers_max = 2, .first_connects_max = 100});
  std::vector<Record> records(7);
  std::vector<std::unique_ptr<HttpTransfer>> transfers;
  for (Record& record : records) transfers.push_back(client_->start(request(), record));
  for (Record& record : records) wait(&loop_, record);
  for (const Record& record : records) EXPECT_EQ(record.body, "hi");
}

TEST_F(HttpClientTest, TellsBrokenTransportsApart) {
  struct Case {
    std::vector<Step> steps;
    HttpEnd end;
  };
  std::string many_headers;
  for (int i = 0; i < 100; ++i) many_headers += "X-Long: " + std::string(1000, 'x') + "\r\n";
  const std::vector<Case> cases = {
      {{{0, Step::Do::kReset, ""}}, HttpEnd::kReset},
      {{{0, Step::Do::kClose, ""}}, HttpEnd::kReset},
      {{{0, Step::Do::kWrite, kHead + "abc"}, {0, Step::Do::kClose, ""}}, HttpEnd::kTruncated},
      {{{0, Step::Do::kWrite, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"},
        {0, Step::Do::kClose, ""}},
       HttpEnd::kTruncated},
      {{{0, Step::Do::kWrite, "HTTP/1.1 200 OK\r\nContent-Ty"}, {0, Step::Do::kClose, ""}},
       HttpEnd::kBadResponse},
      {{{0, Step::Do::kWrite, "\x16\x03 no HTTP\r\n\r\n"}, {0, Step::Do::kClose, ""}},
       HttpEnd::kBadResponse},
      {{{0, Step::Do::kWrite, "HTTP/1.1 101 Switching Protocols\r\n\r\nbody"},
        {0, Step::Do::kClose, ""}},
       HttpEnd::kBadResponse},
      {{{0, Step::Do::kWrite, "HTTP/1.1 200 OK\r\n" + many_headers}, {0, Step::Do::kClose, ""}},
       HttpEnd::kBadResponse},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    answer(cases[i].steps);
    const Record record = run(request());
    EXPECT_EQ(to_string(record.result.end), to_string(cases[i].end)) << i;
    EXPECT_TRUE(record.result.was_sent) << i;
    EXPECT_FALSE(record.result.message.empty()) << i;
  }
  EXPECT_EQ(calls_.size(), cases.size());
}

TEST_F(HttpClientTest, EndsTheHeadWhereTheLibraryDoes) {
  answer(
      {{0, Step::Do::kWrite, "HTTP/1.1 200 OK\r\n\rno name\r\nbody"}, {0, Step::Do::kClose, ""}});
  const Record record = run(request());
  EXPECT_EQ(record.head, 200);
  EXPECT_EQ(record.body, "body");
}

TEST_F(HttpClientTest, TellsThatNothingWasSentWhenNobodyListensOrTheNameIsUnknown) {
  HttpRequest refused = request();
  refused.url = "http://127.0.0.1:1/";
  Record record = run(std::move(refused));
  EXPECT_EQ(record.result.end, HttpEnd::kRefused);
  EXPECT_FALSE(record.result.was_sent);
  HttpRequest unknown = request();
  unknown.url = "http://no-such-host.invalid/";
  record = run(std::move(unknown));
  EXPECT_EQ(record.result.end, HttpEnd::kResolve);
  EXPECT_FALSE(record.result.was_sent);
  for (const char* url : {"ftp://127.0.0.1/", "http://", "127.0.0.1:99999"}) {
    HttpRequest bad = request();
    bad.url = url;
    record = run(std::move(bad));
    EXPECT_EQ(record.result.end, HttpEnd::kBadUrl) << url;
  }
}

TEST_F(HttpClientTest, BoundsTheBody) {
  HttpRequest wanted = request();
  wanted.body_bytes_max = 9;
  answer({{0, Step::Do::kWrite, kHead + "0123456789"}, {0, Step::Do::kEnd, ""}});
  EXPECT_EQ(run(std::move(wanted)).result.end, HttpEnd::kTooLarge);
}

TEST_F(HttpClientTest, StopsWhenTheHandlerWantsNoMore) {
  answer({{0, Step::Do::kWrite, kHead + "01234"}, {0, Step::Do::kStall, ""}});
  Record record;
  record.wanted = 3;
  const auto transfer = client_->start(request(), record);
  wait(&loop_, record);
  EXPECT_EQ(record.result.end, HttpEnd::kStopped);
}

TEST_F(HttpClientTest, RunsOutOfTheFirstEventClockWhenThePeerIsSilent) {
  answer({{0, Step::Do::kStall, ""}});
  HttpRequest wanted = request();
  wanted.timeouts.first_event = milliseconds(30);
  const Record record = run(std::move(wanted));
  EXPECT_EQ(record.result.end, HttpEnd::kTimeoutFirstEvent);
  EXPECT_TRUE(record.result.was_sent);
}

TEST_F(HttpClientTest, RunsOutOfTheIdleClockWhenThePeerFallsSilent) {
  answer({{0, Step::Do::kWrite, kHead + "012"}, {0, Step::Do::kStall, ""}});
  HttpRequest wanted = request();
  wanted.timeouts.idle = milliseconds(30);
  const Record record = run(std::move(wanted));
  EXPECT_EQ(record.result.end, HttpEnd::kTimeoutIdle);
  EXPECT_EQ(record.body, "012");
}

TEST_F(HttpClientTest, RunsOutOfTheTotalClockWhenThePeerDrips) {
  std::vector<Step> steps = {{0, Step::Do::kWrite, kHead}};
  for (int i = 0; i < 9; ++i) steps.push_back({20, Step::Do::kWrite, "x"});
  steps.push_back({0, Step::Do::kStall, ""});
  answer(steps);
  HttpRequest wanted = request();
  wanted.timeouts.total = milliseconds(70);
  EXPECT_EQ(run(std::move(wanted)).result.end, HttpEnd::kTimeoutTotal);
}

TEST_F(HttpClientTest, CountsOnlyWhatTheHandlerCallsProgress) {
  std::vector<Step> steps = {{0, Step::Do::kWrite, "HTTP/1.1 200 OK\r\n\r\n"}};
  for (int i = 0; i < 100; ++i) steps.push_back({10, Step::Do::kWrite, ": ping\n"});
  steps.push_back({0, Step::Do::kStall, ""});
  answer(steps);
  HttpRequest wanted = request();
  wanted.has_own_progress = true;
  wanted.timeouts.first_event = milliseconds(60);
  EXPECT_EQ(run(std::move(wanted)).result.end, HttpEnd::kTimeoutFirstEvent);
}

TEST_F(HttpClientTest, WaitsOnlyShortlyForTheEndOfWhatIsAlreadyWhole) {
  answer({{0, Step::Do::kWrite, kHead + "012"}, {0, Step::Do::kStall, ""}});
  Record record;
  std::unique_ptr<HttpTransfer> transfer;
  record.on_bytes = [&] { transfer->end_within(milliseconds(10)); };
  transfer = client_->start(request(), record);
  wait(&loop_, record);
  EXPECT_EQ(record.result.end, HttpEnd::kTimeoutTotal);
}

TEST_F(HttpClientTest, HearsNothingMoreOfATransferThatIsDestroyed) {
  answer({{0, Step::Do::kStall, ""}});
  Record waiting, running, other;
  auto first = client_->start(request(), running);
  while (calls_.empty()) uv_run(&loop_, UV_RUN_ONCE);
  auto second = client_->start(request(), waiting);
  first.reset();
  second.reset();
  EXPECT_EQ(client_->in_flight(), 0u);
  answer({{0, Step::Do::kWrite, endpoint::http_answer(200, "text/plain", "hi")},
          {0, Step::Do::kEnd, ""}});
  const auto third = client_->start(request(), other);
  wait(&loop_, other);
  EXPECT_EQ(running.ends + waiting.ends, 0);
  EXPECT_EQ(other.body, "hi");
}

TEST_F(HttpClientTest, LetsAHandlerDestroyItsTransferAndStartAnother) {
  Record first, second;
  std::unique_ptr<HttpTransfer> transfer;
  first.then = [&] { transfer = client_->start(request(), second); };
  transfer = client_->start(request(), first);
  wait(&loop_, second);
  EXPECT_EQ(first.ends, 1);
  EXPECT_EQ(second.body, "hi");
}

TEST_F(HttpClientTest, SendsABodyThatIsLargerThanEveryBuffer) {
  const std::string body(3'000'000, 'b');
  EXPECT_EQ(run(request(body)).body, "hi");
  EXPECT_EQ(calls_[0].body, body);
}

TEST_F(HttpClientTest, FollowsNoRedirect) {
  answer({{0, Step::Do::kWrite,
           endpoint::http_answer(302, "text/plain", "", "Location: http://127.0.0.1:1/\r\n")},
          {0, Step::Do::kEnd, ""}});
  EXPECT_EQ(run(request()).result.status, 302);
  EXPECT_EQ(calls_.size(), 1u);
}

/// Three thousand times "a", as gzip.
std::string zipped() {
  return *base64_decode("H4sIAAAAAAACA+3BMQEAAADCoKzrX8IaHkABAADvBsg83F64CwAA");
}

TEST_F(HttpClientTest, UnpacksGzipWhereTheRequestAcceptsIt) {
  answer({{0, Step::Do::kWrite,
           endpoint::http_answer(200, "text/plain", zipped(), "Content-Encoding: gzip\r\n")},
          {0, Step::Do::kEnd, ""}});
  HttpRequest wanted = request();
  EXPECT_EQ(run(wanted).body, zipped()) << "nobody asked for it to be unpacked";
  wanted.accepts_gzip = true;
  EXPECT_EQ(run(wanted).body, std::string(3000, 'a'));
}

TEST_F(HttpClientTest, BoundsABodyByWhatItUnpacksTo) {
  answer({{0, Step::Do::kWrite,
           endpoint::http_answer(200, "text/plain", zipped(), "Content-Encoding: gzip\r\n")},
          {0, Step::Do::kEnd, ""}});
  HttpRequest wanted = request();
  wanted.accepts_gzip = true;
  wanted.body_bytes_max = 1000;
  EXPECT_EQ(run(wanted).result.end, HttpEnd::kTooLarge);
}

}  // namespace
}  // namespace filecall::worker
