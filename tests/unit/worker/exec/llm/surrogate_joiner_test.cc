// SPDX-License-Identifier: MIT
#include "worker/exec/llm/surrogate_joiner.h"

#include <gtest/gtest.h>

#include <vector>

#include "worker/exec/llm/chat_codec.h"

namespace filecall::worker::llm {
namespace {

std::vector<std::string> join_all(const std::vector<std::string>& events) {
  SurrogateJoiner joiner;
  std::vector<std::string> joined;
  for (const std::string& event : events) joined.push_back(joiner.join(event).value_or("as it is"));
  return joined;
}

TEST(SurrogateJoiner, LeavesEverythingElseAlone) {
  SurrogateJoiner joiner;
  for (const char* text :
       {"", "\\", "{\"a\": \"plain\"}", R"("\ud83d\ude0a")", R"("\uD83D\uDE0A\n\u00e9")",
        R"("\\ud83d")", R"("\ud7ff\ue000")", R"("\ud83)", R"("\ud8zz")", R"("\u")"}) {
    EXPECT_FALSE(joiner.join(text)) << text;
  }
}

TEST(SurrogateJoiner, JoinsWhatTwoEventsHaveOfACharacter) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(join_all({R"("ab\ud83d")", R"("\ude0a cd")"}),
            (Texts{R"("ab")", R"("\ud83d\ude0a cd")"}));
  // Events without text may lie between the halves.
  EXPECT_EQ(join_all({R"("\ud83d")", "{}", R"("\ude0a\ud83d")", R"("\ude0a")"}),
            (Texts{R"("")", "as it is", R"("\ud83d\ude0a")", R"("\ud83d\ude0a")"}));
  // What has no first half is no character.
  EXPECT_EQ(join_all({R"("x\ude0ay\\")"}), (Texts{R"("x\ufffdy\\")"}));
  EXPECT_EQ(join_all({R"("\ud83d\ud83d\ude0a")"}), (Texts{R"("\ud83d\ude0a")"}));
}

TEST(SurrogateJoiner, LetsAStreamBeReadThatCutsACharacter) {
  const auto stream = make_chat_stream(ProviderKind::kOpenAi);
  std::string deltas;
  for (const char* data :
       {R"({"choices":[{"index":0,"delta":{"content":"hi \ud83d"},"finish_reason":null}]})",
        R"({"choices":[{"index":0,"delta":{"content":"\ude0a!"},"finish_reason":"stop"}]})"}) {
    stream->read({"message", data, ""}, [&](const ChatDelta& delta) { deltas += delta.text; });
  }
  EXPECT_FALSE(stream->error());
  EXPECT_EQ(stream->result().text, "hi 😊!");
  EXPECT_EQ(deltas, "hi 😊!");
}

}  // namespace
}  // namespace filecall::worker::llm
