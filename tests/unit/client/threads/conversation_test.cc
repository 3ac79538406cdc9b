// SPDX-License-Identifier: MIT
#include "client/threads/thread_conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thread_place.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ConversationTest : public ThreadPlace {
 protected:
  void say(const std::string& thread, const std::string& text, const std::string& run = "") {
    ASSERT_TRUE(
        open_log(thread)->append("message", run, {{"role", "user"}, {"text", text}}, at(2)));
  }
  void fork(const std::string& thread, const std::string& parent, std::int64_t seq) {
    ThreadLogOptions made = options();
    made.parent = parent;
    made.parent_seq = seq;
    made.must_be_new = true;
    ASSERT_TRUE(ThreadLog::open(layout(), thread, made));
  }
  std::vector<std::string> texts(const std::string& thread) {
    std::vector<std::string> found;
    const auto conversation = read_conversation(layout(), thread);
    for (const auto& message : conversation->messages) {
      found.push_back(message.text);
    }
    return found;
  }
};

TEST_F(ConversationTest, HasTheMessagesOfItsParentsUpToTheFork) {
  say("a", "one");
  say("a", "two");
  fork("b", "a", 2);
  say("b", "three");
  say("a", "four");
  fork("c", "b", 2);
  say("c", "five");
  EXPECT_THAT(texts("a"), ElementsAre("one", "two", "four"));
  EXPECT_THAT(texts("b"), ElementsAre("one", "three"));
  EXPECT_THAT(texts("c"), ElementsAre("one", "three", "five"));
  EXPECT_EQ(read_conversation(layout(), "c")->messages[0].thread, "a");
}

TEST_F(ConversationTest, BeginsAgainAfterADeletion) {
  say("a", "one");
  ASSERT_TRUE(open_log("a")->append("thread.deleted", "", Json::object(), at(3)));
  EXPECT_THAT(texts("a"), IsEmpty());
  say("a", "two");
  EXPECT_THAT(texts("a"), ElementsAre("two"));
}

TEST_F(ConversationTest, SaysWhatCannotBeFound) {
  fork("b", "gone", 2);
  say("b", "one");
  const auto found = read_conversation(layout(), "b");
  EXPECT_THAT(found->messages, SizeIs(1));
  EXPECT_FALSE(found->complete);
  EXPECT_THAT(found->problems, SizeIs(1));
  // A circle, made by hand.
  fork("x", "y", 9);
  fork("y", "x", 9);
  say("x", "two");
  EXPECT_FALSE(read_conversation(layout(), "y")->complete);
}

TEST_F(ConversationTest, IsADocumentWithTimesInMilliseconds) {
  say("a", std::string(100'000, 'x'), "run-1");
  const Json json = conversation_json(*read_conversation(layout(), "a"));
  EXPECT_EQ(json["createdAt"], 1000);
  EXPECT_EQ(json["updatedAt"], 2000);
  EXPECT_EQ(json["title"], "a");
  ASSERT_THAT(json["messages"], SizeIs(1));
  EXPECT_EQ(json["messages"][0]["id"], "a-2");
  EXPECT_EQ(json["messages"][0]["content"].get<std::string>().size(), 100'000U) << "spilled";
  EXPECT_EQ(json["messages"][0]["metadata"], Json({{"thread", "a"}, {"seq", 2}, {"run", "run-1"}}));
  EXPECT_EQ(json["metadata"]["complete"], true);
}

TEST_F(ConversationTest, RefusesAnIdThatIsTaken) {
  say("a", "one");
  ThreadLogOptions made = options();
  made.must_be_new = true;
  EXPECT_EQ(ThreadLog::open(layout(), "a", made).error().code, ErrorCode::kAlreadyExists);
  ASSERT_TRUE(open_log("a")->append("thread.deleted", "", Json::object(), at(3)));
  EXPECT_TRUE(ThreadLog::open(layout(), "a", made)) << "a deleted one begins again";
}

}  // namespace
}  // namespace filecall::client
