// SPDX-License-Identifier: MIT
#include "worker/net/web_socket_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A frame as a server sends it: without a mask.
std::string frame(int first, std::string_view payload) {
  std::string out(1, static_cast<char>(first));
  if (payload.size() < 126) {
    out += static_cast<char>(payload.size());
  } else {
    const int bytes = payload.size() < 65536 ? 2 : 8;
    out += static_cast<char>(bytes == 2 ? 126 : 127);
    for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(payload.size() >> (8 * i));
  }
  return out.append(payload);
}
constexpr int kFinal = 0x80, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;

struct Taken {
  std::vector<std::string> messages;
  bool is_good = true;
  std::string problem;
  std::string output;
  bool is_closed = false;
};

void fill(std::uint8_t* bytes, std::size_t size) { std::fill_n(bytes, size, std::uint8_t{7}); }

Taken take(std::string_view stream, const std::vector<std::size_t>& cuts = {}) {
  WebSocketFrames frames(&fill);
  Taken taken;
  std::size_t at = 0;
  for (std::size_t i = 0; at < stream.size(); ++i) {
    const std::size_t size = i < cuts.size() ? cuts[i] : stream.size();
    taken.is_good = frames.feed(stream.substr(at, size), [&](std::string_view message) {
      taken.messages.emplace_back(message);
    }) && taken.is_good;
    at += std::min(size, stream.size() - at);
  }
  taken.problem = frames.problem();
  taken.output = frames.take_output();
  taken.is_closed = frames.is_close_received();
  return taken;
}

TEST(WebSocketFrames, GivesMessagesWholeHoweverTheyAreCut) {
  const std::string stream =
      frame(kFinal | kBinary, "one") + frame(kFinal | kPing, "ping") + frame(kBinary, "t") +
      frame(kFinal | kPing, "") + frame(0, "w") + frame(kFinal, "o") + frame(kFinal | kBinary, "") +
      frame(kFinal | kBinary, std::string(70000, 'x')) + frame(kFinal | kPong, "nobody asked") +
      frame(kFinal | kClose, "\x03\xe8 bye");
  const Taken whole = take(stream);
  EXPECT_TRUE(whole.is_good) << whole.problem;
  EXPECT_THAT(whole.messages, ElementsAre("one", "two", "", std::string(70000, 'x')));
  EXPECT_TRUE(whole.is_closed);
  Random random(20261124);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> cuts;
    for (int i = 0; i < 60; ++i) cuts.push_back(1 + random.below(round % 2 == 0 ? 5 : 5000));
    const Taken cut = take(stream, cuts);
    ASSERT_TRUE(cut.is_good) << cut.problem;
    ASSERT_EQ(cut.messages, whole.messages);
    ASSERT_EQ(cut.output, whole.output);
  }
}

TEST(WebSocketFrames, AnswersPingsAndTheEndWithMasksOfItsOwn) {
  const Taken taken = take(frame(kFinal | kPing, "ab") + frame(kFinal | kClose, "\x03\xe8"));
  const std::string mask = "\x07\x07\x07\x07";
  const auto masked = [](std::string text) {
    for (char& c : text) c = static_cast<char>(c ^ 7);
    return text;
  };
  EXPECT_EQ(taken.output,
            "\x8a\x82" + mask + masked("ab") + "\x88\x82" + mask + masked("\x03\xe8"));
}

TEST(WebSocketFrames, RefusesWhatBreaksTheProtocolOrALimit) {
  const auto length = [](std::uint64_t size) {
    std::string out = "\x82\x7f";
    for (int i = 7; i >= 0; --i) out += static_cast<char>(size >> (8 * i));
    return out;
  };
  std::string fragments = frame(kBinary, "a");
  for (std::size_t i = 0; i < WebSocketFrames::kFragmentsMax; ++i) fragments += frame(0, "");
  std::string grows = frame(kBinary, std::string(WebSocketFrames::kMessageBytesMax - 1, 'a'));
  const std::pair<std::string, const char*> cases[] = {
      {"\x82\x81\x01\x02\x03\x04z", "breaks the WebSocket protocol"},  // Masked.
      {length(std::uint64_t{1} << 63), "breaks the WebSocket protocol"},
      {length((std::uint64_t{1} << 63) - 1), "longer than 1048576 bytes"},
      {length(WebSocketFrames::kMessageBytesMax + 1), "longer than 1048576 bytes"},
      {grows + frame(kFinal, "bc"), "longer than 1048576 bytes"},
      {std::string("\x82\x7e\x00\x05", 4), "breaks the WebSocket protocol"},  // Not the shortest.
      {frame(0xc2, "rsv1"), "breaks the WebSocket protocol"},
      {frame(kFinal | 3, "opcode"), "breaks the WebSocket protocol"},
      {frame(kFinal, "continues nothing"), "breaks the WebSocket protocol"},
      {frame(kBinary, "a") + frame(kFinal | kBinary, "b"), "breaks the WebSocket protocol"},
      {frame(kPing, "in fragments"), "breaks the WebSocket protocol"},
      {frame(kFinal | kPing, std::string(126, 'a')), "breaks the WebSocket protocol"},
      {frame(kFinal | kClose, std::string("\x00\x01", 2)), "breaks the WebSocket protocol"},
      {frame(kFinal | kText, "text"), "text where binary"},
      {frame(kFinal | kText, "\xff"), "not UTF-8"},
      {fragments, "more than 4096 fragments"},
  };
  for (const auto& [stream, problem] : cases) {
    const Taken taken = take(stream + frame(kFinal | kBinary, "after it"));
    EXPECT_FALSE(taken.is_good) << testing::PrintToString(stream.substr(0, 40));
    EXPECT_THAT(taken.problem, HasSubstr(problem));
    EXPECT_THAT(taken.messages, IsEmpty()) << problem;
  }
}

TEST(WebSocketFrames, LooksAtNothingBehindTheEnd) {
  const Taken taken =
      take(frame(kFinal | kClose, "\x03\xe9gone away") + frame(kFinal | kBinary, "late"));
  EXPECT_TRUE(taken.is_good) << taken.problem;
  EXPECT_THAT(taken.messages, IsEmpty());
  WebSocketFrames frames(&fill);
  EXPECT_TRUE(frames.feed(frame(kFinal | kClose, "\x03\xe9gone"), [](std::string_view) {}));
  EXPECT_EQ(frames.close_code(), 1001);
  EXPECT_EQ(frames.close_reason(), "gone");
  WebSocketFrames torn(&fill);
  EXPECT_FALSE(torn.feed(frame(kFinal | kClose, "\x03\xe9 \xff"), [](std::string_view) {}));
}

TEST(WebSocketFrames, ReadsTheReasonOfAnEndHoweverItIsCut) {
  const std::string good = frame(kFinal | kClose, "\x03\xe8Küste ä");
  const std::string torn = frame(kFinal | kClose, std::string("\x03\xe8\x00\x00\xff\xff!", 7));
  // Behind so much that it lies across the end of any buffer, too.
  for (const std::size_t before : {std::size_t{0}, std::size_t{4085}}) {
    const std::string first = before == 0 ? "" : frame(kFinal | kBinary, std::string(before, 'x'));
    for (std::size_t cut = 1; cut < good.size(); ++cut) {
      WebSocketFrames frames(&fill);
      const std::string stream = first + good;
      const std::size_t at = first.size() + cut;
      EXPECT_TRUE(frames.feed(stream.substr(0, at), [](std::string_view) {}));
      EXPECT_TRUE(frames.feed(stream.substr(at), [](std::string_view) {})) << frames.problem();
      EXPECT_EQ(frames.close_reason(), "Küste ä") << cut;
    }
    for (std::size_t cut = 1; cut < torn.size(); ++cut) {
      const Taken taken = take(first + torn, {first.size() + cut});
      EXPECT_THAT(taken.problem, HasSubstr("not UTF-8")) << cut;
      EXPECT_FALSE(taken.is_closed);
    }
  }
}

TEST(WebSocketFrames, PingsAndCountsTheAnswers) {
  WebSocketFrames frames(&fill);
  frames.queue_ping();
  EXPECT_EQ(frames.take_output(), std::string("\x89\x80\x07\x07\x07\x07", 6));
  EXPECT_EQ(frames.pongs(), 0U);
  EXPECT_TRUE(
      frames.feed(frame(kFinal | kPong, "") + frame(kFinal | kPong, "p"), [](std::string_view) {}));
  EXPECT_EQ(frames.pongs(), 2U);
}

TEST(WebSocketFrames, KeepsNoMoreThanItMaySend) {
  WebSocketFrames frames(&fill);
  std::string pings;
  for (int i = 0; i < 1000; ++i) pings += frame(kFinal | kPing, std::string(125, 'p'));
  bool is_good = true;
  for (int i = 0; i < 100 && is_good; ++i) is_good = frames.feed(pings, [](std::string_view) {});
  EXPECT_FALSE(is_good);
  EXPECT_THAT(frames.problem(), HasSubstr("too much waits"));
  EXPECT_LE(frames.take_output().size(), WebSocketFrames::kUnsentBytesMax + 1000);
}

TEST(WebSocketFrames, MasksWhatItSends) {
  WebSocketFrames frames(&fill);
  frames.queue(std::string("\x00hi", 3));
  frames.queue_close();
  frames.queue("never sent");
  EXPECT_EQ(frames.take_output(),
            std::string("\x82\x83\x07\x07\x07\x07\x07on", 9) + "\x88\x82\x07\x07\x07\x07\x04\xef");
}

}  // namespace
}  // namespace filecall::worker
