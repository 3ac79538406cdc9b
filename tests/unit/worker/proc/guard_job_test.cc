// SPDX-License-Identifier: MIT
#include "worker/proc/guard/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::guard {
namespace {

using testing::ElementsAre;
using testing::IsNull;
using testing::StrEq;

JobMessage message_of(std::uint32_t arguments, std::uint32_t variables, const std::string& text) {
  JobMessage message;
  message.arguments = arguments;
  message.variables = variables;
  message.text_bytes = text.size();
  return message;
}

bool splits(const JobMessage& message, std::string text) {
  std::vector<char*> arguments, variables;
  return split_job(message, text.data(), &arguments, &variables);
}

TEST(GuardJob, IsReadAsItWasWritten) {
  std::string text = job_text({"guard", "", "a b"}, {"X=1"});
  std::vector<char*> arguments, variables;
  ASSERT_TRUE(split_job(message_of(3, 1, text), text.data(), &arguments, &variables));
  EXPECT_THAT(arguments, ElementsAre(StrEq("guard"), StrEq(""), StrEq("a b"), IsNull()));
  EXPECT_THAT(variables, ElementsAre(StrEq("X=1"), IsNull()));
}

TEST(GuardJob, AWordEndsWhereAProgramWouldSeeItEnd) {
  EXPECT_EQ(job_text({std::string("a\0b", 3)}, {}), std::string("a\0", 2));
}

TEST(GuardJob, MayHaveNoVariables) {
  const std::string text = job_text({"guard"}, {});
  EXPECT_TRUE(splits(message_of(1, 0, text), text));
  EXPECT_TRUE(splits(message_of(0, 0, ""), ""));
}

TEST(GuardJob, IsRefusedWhenTheTextIsNotWhatTheMessageSays) {
  const std::string text = job_text({"guard", "a"}, {"X=1"});
  EXPECT_FALSE(splits(message_of(2, 2, text), text)) << "too few words";
  EXPECT_FALSE(splits(message_of(1, 1, text), text)) << "too many words";
  const std::string cut = text.substr(0, text.size() - 1);
  EXPECT_FALSE(splits(message_of(2, 1, cut), cut)) << "the last word has no end";
}

}  // namespace
}  // namespace filecall::worker::guard
