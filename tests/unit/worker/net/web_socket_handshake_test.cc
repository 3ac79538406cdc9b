// SPDX-License-Identifier: MIT
#include "worker/net/web_socket_handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/random.h"

namespace filecall::worker {
namespace {

using testing::HasSubstr;
using State = UpgradeAnswer::State;

/// The example of RFC 6455, section 1.3.
constexpr const char* kKey = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr const char* kAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const std::vector<std::string> kProtocols = {"v5.x", "v4.x"};

TEST(UpgradeRequest, AsksForOneOfItsProtocols) {
  HttpRequest request;
  request.url = "https://10.0.0.1:6443/prefix/api?command=a&command=b%20c";
  request.headers = {{"User-Agent", "filecall/1"}};
  request.secret_headers = {{"Authorization", Secret("Bearer t")}};
  EXPECT_EQ(upgrade_request(request, kKey, kProtocols)->reveal(),
            "GET /prefix/api?command=a&command=b%20c HTTP/1.1\r\nHost: 10.0.0.1:6443\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: v5.x, v4.x\r\n"
            "User-Agent: filecall/1\r\nAuthorization: Bearer t\r\n\r\n");
}

TEST(UpgradeRequest, HasNoRoomForASecondOne) {
  for (const char* url : {"https://h/a b", "https://h/a\r\nX: y", "h/a", "https:///a",
                          "https://user@h/a", "https://h/#a"}) {
    HttpRequest request;
    request.url = url;
    EXPECT_FALSE(upgrade_request(request, kKey, kProtocols)) << url;
  }
  HttpRequest request;
  request.url = "http://h";
  EXPECT_THAT(upgrade_request(request, kKey, kProtocols)->reveal(), HasSubstr("GET / HTTP/1.1"));
  request.headers = {{"A", "b\r\nC: d"}};
  EXPECT_FALSE(upgrade_request(request, kKey, kProtocols));
  request.headers.clear();
  request.secret_headers = {{"A", Secret("b\nC: d")}};
  EXPECT_FALSE(upgrade_request(request, kKey, kProtocols));
}

TEST(UpgradeMistake, TellsWhatIsNoWebSocketOfOurs) {
  EXPECT_EQ(accept_of_key(kKey), kAccept);
  const auto mistake = [](std::vector<std::pair<std::string, std::string>> other) {
    HttpHeaders headers;
    std::vector<std::pair<std::string, std::string>> fields = {
        {"Upgrade", "WebSocket"},
        {"Connection", "keep-alive, Upgrade"},
        {"Sec-WebSocket-Accept", kAccept},
        {"Sec-WebSocket-Protocol", "v4.x"}};
    for (auto& [name, value] : other) {
      for (auto& field : fields) {
        if (field.first == name) field.second = value;
      }
      if (name == "Sec-WebSocket-Extensions") fields.emplace_back(name, value);
    }
    for (const auto& [name, value] : fields) headers.add(name, value);
    return upgrade_mistake(headers, kKey, kProtocols);
  };
  EXPECT_EQ(mistake({}), "");
  EXPECT_EQ(mistake({{"Sec-WebSocket-Protocol", "v5.x"}}), "");
  EXPECT_THAT(mistake({{"Upgrade", "h2c"}}), HasSubstr("something else"));
  EXPECT_THAT(mistake({{"Connection", "close"}}), HasSubstr("something else"));
  EXPECT_THAT(mistake({{"Sec-WebSocket-Accept", "x"}}), HasSubstr("does not fit"));
  EXPECT_THAT(mistake({{"Sec-WebSocket-Protocol", ""}}), HasSubstr("none of v5.x, v4.x"));
  EXPECT_THAT(mistake({{"Sec-WebSocket-Protocol", "v1.x"}}), HasSubstr("none of"));
  EXPECT_THAT(mistake({{"Sec-WebSocket-Extensions", "permessage-deflate"}}),
              HasSubstr("not asked for"));
}

struct Case {
  const char* answer;
  State state;
  int status;
  const char* body;
};
constexpr Case kCases[] = {
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nabc",
     State::kSwitched, 101, ""},
    {"HTTP/1.1 101 X\r\nContent-Length: 50\r\n\r\n", State::kSwitched, 101, ""},
    {"HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 403 X\r\nContent-Length: 2\r\n\r\nno++",
     State::kWhole, 403, "no"},
    {"HTTP/1.1 404 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
     State::kWhole, 404, "abc"},
    {"HTTP/1.0 502 X\r\n\r\nuntil the end", State::kWhole, 502, "until the end"},
    {"HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nshort", State::kWhole, 500, "short"},
    {"HTTP/1.1 204 X\r\n\r\n", State::kWhole, 204, ""},
    {"HTTP/1.1 101 X\r\nUpgrade: web", State::kBroken, 0, ""},
    {"HTTP/1.1 100 X\r\n\r\n", State::kBroken, 100, ""},
    {"SSH-2.0-OpenSSH\r\n", State::kBroken, 0, ""},
    {"", State::kBroken, 0, ""},
};

TEST(UpgradeAnswer, IsReadHoweverItIsCut) {
  Random random(7);
  for (const auto& [text, state, status, body] : kCases) {
    for (int round = 0; round < 50; ++round) {
      UpgradeAnswer answer;
      State now = State::kReading;
      std::string_view rest = text;
      while (!rest.empty() && now == State::kReading) {
        const std::size_t size = round == 0 ? rest.size() : 1 + random.below(9);
        now = answer.feed(rest.substr(0, size));
        rest.remove_prefix(std::min(size, rest.size()));
      }
      if (now == State::kReading) now = answer.finish();
      ASSERT_EQ(now, state) << text;
      ASSERT_EQ(answer.status(), status) << text;
      ASSERT_EQ(answer.body(), body) << text;
      ASSERT_TRUE(std::string_view("abc").starts_with(answer.rest())) << answer.rest();
    }
  }
}

TEST(UpgradeAnswer, ForgetsTheHeadersOfAnInformationalOne) {
  UpgradeAnswer answer;
  answer.feed("HTTP/1.1 103 X\r\nUpgrade: a\r\n\r\nHTTP/1.1 401 X\r\nRetry-After:  7 \r\n");
  answer.feed("Content-Length: 0\r\n\r\n");
  EXPECT_EQ(answer.headers().find("upgrade"), std::nullopt);
  EXPECT_EQ(answer.headers().find("retry-after"), "7");
}

TEST(UpgradeAnswer, IsBounded) {
  UpgradeAnswer endless_head;
  std::string head = "HTTP/1.1 101 X\r\n";
  while (head.size() < 2 * UpgradeAnswer::kHeadBytesMax) head += "Name: value of it\r\n";
  EXPECT_EQ(endless_head.feed(head), State::kBroken);
  UpgradeAnswer informational;
  State state = State::kReading;
  for (int i = 0; i < 10'000 && state == State::kReading; ++i) {
    state = informational.feed("HTTP/1.1 100 X\r\n\r\n");
  }
  EXPECT_EQ(state, State::kBroken);
  UpgradeAnswer endless_body;
  state = endless_body.feed("HTTP/1.1 500 X\r\n\r\n");
  const std::string part(10'000, 'b');
  for (int i = 0; i < 1000 && state == State::kReading; ++i) state = endless_body.feed(part);
  EXPECT_EQ(state, State::kWhole);
  EXPECT_EQ(endless_body.body().size(), UpgradeAnswer::kBodyBytesMax);
}

}  // namespace
}  // namespace filecall::worker
