// SPDX-License-Identifier: MIT
#include "client/core/same_request.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(SameRequest, IgnoresWhiteSpaceAndTheOrderOfMembers) {
  EXPECT_TRUE(is_same_request(R"({"a":1,"b":[2]})", "{ \"b\": [2],\n \"a\": 1 }\n"));
}

TEST(SameRequest, IgnoresWhatLiesBesideTheQuestion) {
  EXPECT_TRUE(is_same_request(R"({"a":1,"metadata":{"vars":{"city":"Rom"}}})",
                              R"({"a":1,"metadata":{"vars":{"city":"Rome"}}})"));
  EXPECT_TRUE(is_same_request(R"({"a":1,"metadata":{}})", R"({"a":1})"));
  EXPECT_FALSE(is_same_request(R"({"a":{"metadata":1}})", R"({"a":{"metadata":2}})"));
}

TEST(SameRequest, IgnoresWhenItIsAsked) {
  EXPECT_TRUE(is_same_request(R"({"a":1,"priority":5})", R"({"a":1})"));
  EXPECT_FALSE(is_same_request(R"({"a":{"priority":1}})", R"({"a":{"priority":2}})"));
}

TEST(SameRequest, SeesWhatDiffers) {
  EXPECT_FALSE(is_same_request(R"({"a":1})", R"({"a":2})"));
  EXPECT_FALSE(is_same_request(R"({"a":[1,2]})", R"({"a":[2,1]})"));
  EXPECT_FALSE(is_same_request(R"({"a":1})", R"({"a":1,"b":null})"));
}

TEST(SameRequest, ComparesWhatIsNoJsonByteByByte) {
  EXPECT_TRUE(is_same_request("{broken", "{broken"));
  EXPECT_FALSE(is_same_request("{broken", "{broken "));
}

}  // namespace
}  // namespace filecall::client
