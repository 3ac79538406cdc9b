// SPDX-License-Identifier: MIT
#include "worker/net/secret.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

TEST(Secret, PrintsAsStarsHoweverItIsFormatted) {
  const Secret secret("sk-very-secret");
  EXPECT_EQ(fmt::format("{}", secret), "***");
  EXPECT_EQ(fmt::format("[{}]", Secret()), "[]");
  EXPECT_EQ(secret.reveal(), "sk-very-secret");
}

TEST(Secret, IsTakenOutOfTextsAsOftenAsItStandsThere) {
  const Secret secret("sk-very-secret");
  EXPECT_EQ(secret.redact("a sk-very-secret, sk-very-secretsk-very-secret"), "a ***, ******");
  EXPECT_EQ(secret.redact("nothing of it"), "nothing of it");
  EXPECT_TRUE(secret.stands_in("xsk-very-secretx"));
  EXPECT_FALSE(secret.stands_in("sk-very-secre"));
}

TEST(Secret, LeavesTextsAloneWhenItIsTooShortToBeOne) {
  EXPECT_EQ(Secret("none").redact("none of these"), "none of these");
  EXPECT_EQ(Secret().redact("text"), "text");
}

}  // namespace
}  // namespace filecall::worker
