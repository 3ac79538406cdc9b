// SPDX-License-Identifier: MIT
#include "worker/exec/tool/output_events.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/base64.h"
#include "base/utf8.h"

namespace filecall::worker {
namespace {

constexpr auto kOut = OutputSource::kStdout;
constexpr auto kErr = OutputSource::kStderr;

std::string bytes_of(const Json& event) {
  const auto text = event["text"].get<std::string>();
  return event.value("text_base64", false) ? base64_decode(text).value() : text;
}

TEST(OutputEvents, KeepTheOrderOfBothStreams) {
  OutputEvents events;
  events.append(kOut, "a");
  events.append(kOut, "b");
  events.append(kErr, "c");
  events.append(kOut, "d");
  const auto taken = events.take();
  ASSERT_EQ(taken.size(), 3U);
  const Json first = {{"event", "output"}, {"stream", "stdout"}, {"offset", 0}, {"text", "ab"}};
  EXPECT_EQ(taken[0].json, first);
  EXPECT_EQ(taken[1].json["stream"], "stderr");
  EXPECT_EQ(taken[2].json["offset"], 2);
  EXPECT_TRUE(events.take_rest().empty());
}

TEST(OutputEvents, HoldACharacterThatIsCutUntilItsRestIsThere) {
  OutputEvents events;
  events.append(kOut, "x\xE2\x82");
  EXPECT_EQ(events.take()[0].json["text"], "x");
  events.append(kErr, "y");
  EXPECT_EQ(events.take()[0].json["text"], "y");
  events.append(kOut, "\xAC!");
  const auto taken = events.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].json["text"], "\xE2\x82\xAC!");
  EXPECT_EQ(taken[0].json["offset"], 1);
}

TEST(OutputEvents, GiveWhatIsNotUtf8AsBase64) {
  OutputEvents events;
  events.append(kOut, "a\xFFz");
  const auto taken = events.take();
  EXPECT_EQ(taken[0].json["text"], base64_encode("a\xFFz"));
  EXPECT_EQ(taken[0].json["text_base64"], true);
  events.append(kErr, "\xF0\x9F");
  EXPECT_TRUE(events.take().empty());
  const auto rest = events.take_rest();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(bytes_of(rest[0].json), "\xF0\x9F") << "a character that never came to its end";
}

TEST(OutputEvents, LoseNothingHoweverTheReadsCutTheOutput) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string all[2], seen[2];
    OutputEvents events;
    const auto collect = [&](const std::vector<OutputEvents::Event>& taken) {
      for (const auto& event : taken) {
        const auto source = static_cast<std::size_t>(event.source);
        const std::string bytes = bytes_of(event.json);
        EXPECT_EQ(event.json["offset"], seen[source].size());
        EXPECT_EQ(bytes.size(), event.bytes);
        EXPECT_LE(bytes.size(), 16384U);
        EXPECT_TRUE(is_valid_utf8(event.json["text"].get<std::string>()));
        seen[source] += bytes;
      }
    };
    for (int step = 0; step < 20; ++step) {
      const bool is_text = random() % 2 == 0;
      std::string bytes;
      for (std::size_t i = random() % 12000; i > 0; --i) {
        bytes += is_text ? "\xE2\x82\xAC" : std::string(1, static_cast<char>(random()));
      }
      bytes = bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), random() % 3));
      const std::size_t source = random() % 2;
      all[source] += bytes;
      events.append(static_cast<OutputSource>(source), bytes);
      if (random() % 2 == 0) collect(events.take());
    }
    collect(events.take_rest());
    EXPECT_EQ(seen[0], all[0]);
    EXPECT_EQ(seen[1], all[1]);
  }
}

}  // namespace
}  // namespace filecall::worker
