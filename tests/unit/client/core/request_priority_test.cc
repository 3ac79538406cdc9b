// SPDX-License-Identifier: MIT
#include "client/core/request_priority.h"

#include <gtest/gtest.h>

#include "ipc/limits.h"

namespace filecall::client {
namespace {

TEST(RequestPriority, IsAddedToATextThatStatesNone) {
  EXPECT_EQ(with_priority(R"({"command":"a","params":{}})", -3),
            R"({"priority":-3,"command":"a","params":{}})");
  EXPECT_EQ(with_priority(" {\n}\n", 5), " {\"priority\":5\n}\n");
  EXPECT_EQ(with_priority(R"({"params":{"priority":1}})", 5),
            R"({"priority":5,"params":{"priority":1}})");
  EXPECT_EQ(with_priority(R"({"params":{"text":"\u00e9 \"priority\""}})", 5),
            R"({"priority":5,"params":{"text":"\u00e9 \"priority\""}})");
}

TEST(RequestPriority, OfTheRequestItselfWins) {
  for (const char* text : {R"({"priority":0,"command":"a"})", R"({"command":"a", "priority" : 7})",
                           R"({"\u0070riority":1,"command":"a"})"}) {
    EXPECT_EQ(with_priority(text, 5), text);
  }
}

TEST(RequestPriority, LeavesAloneWhatIsNoRequest) {
  for (const char* text : {"", "[]", "{\"priority\"", "7"}) EXPECT_EQ(with_priority(text, 5), text);
}

TEST(RequestPriority, DoesNotMakeATextTooLong) {
  const std::string text = R"({"a":")" + std::string(limits::kRequestBytes - 10, 'x') + R"("})";
  EXPECT_EQ(with_priority(text, 5), text);
}

}  // namespace
}  // namespace filecall::client
