// SPDX-License-Identifier: MIT
#include "worker/net/sse_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filecall::worker {
namespace {

using testing::ElementsAre;

/// "event=data" of each event; the text is fed in pieces of `size` bytes.
std::vector<std::string> decode(std::string_view text, std::size_t size = 1 << 20,
                                bool finish = true) {
  SseDecoder decoder(1 << 20);
  std::vector<std::string> events;
  const auto note = [&](const SseEvent& e) { events.push_back(e.event + "=" + e.data); };
  for (std::size_t at = 0; at < text.size(); at += size) {
    EXPECT_TRUE(decoder.feed(text.substr(at, size), note));
  }
  EXPECT_TRUE(!finish || decoder.finish(note));
  return events;
}

TEST(SseDecoder, DispatchesAtBlankLinesWhateverEndsALineAndWhereverItIsCut) {
  const std::vector<std::string> expected = {"message=a", "delta=b\nc", "message="};
  for (const std::string_view end : {"\n", "\r", "\r\n"}) {
    std::string text;
    for (const char* line : {"data: a", "", "event: delta", "data: b", "data:c", "", "data", ""}) {
      text += line;
      text += end;
    }
    for (std::size_t size = 1; size <= text.size(); ++size) {
      EXPECT_EQ(decode(text, size, false), expected) << size;
    }
  }
}

TEST(SseDecoder, DropsOneByteOrderMarkAtTheStartOnly) {
  EXPECT_THAT(decode("\xEF\xBB\xBF"
                     "data: a\n\n\xEF\xBB\xBF"
                     "data: b\n\n",
                     1),
              ElementsAre("message=a"));
}

TEST(SseDecoder, CountsCommentsAndIgnoresUnknownFields) {
  SseDecoder decoder(100);
  std::vector<SseEvent> events;
  ASSERT_TRUE(decoder.feed(": ping\n:\nretry: 10\nfoo: bar\n: x\n\ndata: a\n\n",
                           [&](const SseEvent& e) { events.push_back(e); }));
  EXPECT_EQ(decoder.comments(), 3u);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].data, "a");
}

TEST(SseDecoder, DropsOneSpaceAfterTheColonAndKeepsTheOthers) {
  EXPECT_THAT(decode("data:  a \n\ndata:b\n\ndata: c: d\n\n"),
              ElementsAre("message= a ", "message=b", "message=c: d"));
}

TEST(SseDecoder, KeepsTheIdUntilAnotherComesAndRefusesOneWithNul) {
  SseDecoder decoder(100);
  std::vector<std::string> ids;
  const std::string text = "id: 7\ndata: a\n\nid: 8" + std::string(1, '\0') + "\ndata: b\n\n";
  ASSERT_TRUE(decoder.feed(text, [&](const SseEvent& e) { ids.push_back(e.id); }));
  EXPECT_THAT(ids, ElementsAre("7", "7"));
}

TEST(SseDecoder, DispatchesWhatTheEndOfTheStreamLeftOpen) {
  EXPECT_THAT(decode("data: a\n\ndata: [DONE]"), ElementsAre("message=a", "message=[DONE]"));
  EXPECT_THAT(decode("data: a\n"), ElementsAre("message=a"));
  EXPECT_THAT(decode("event: ping\n\n"), ElementsAre());
  EXPECT_THAT(decode(""), ElementsAre());
}

TEST(SseDecoder, RefusesALineOrAnEventThatIsLongerThanTheLimit) {
  const auto ignore = [](const SseEvent&) {};
  SseDecoder of_one_line(10);
  EXPECT_TRUE(of_one_line.feed("data:12345", ignore));
  const auto refused = of_one_line.feed("6", ignore);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  SseDecoder of_many_lines(20);
  EXPECT_TRUE(of_many_lines.feed("data:1234567\n", ignore));
  EXPECT_TRUE(of_many_lines.feed("data:1234567\n", ignore));
  EXPECT_FALSE(of_many_lines.feed("data:1234567\n", ignore));
}

}  // namespace
}  // namespace filecall::worker
