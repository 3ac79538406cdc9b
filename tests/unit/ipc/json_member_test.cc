// SPDX-License-Identifier: MIT
#include "ipc/json_member.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(JsonMember, ReadsAStringAndNothingElse) {
  const Json object = {
      {"name", "a"}, {"empty", ""}, {"count", 1}, {"list", {"a"}}, {"null", nullptr}};
  EXPECT_EQ(string_member(object, "name"), "a");
  for (const char* name : {"empty", "count", "list", "null", "missing"}) {
    EXPECT_EQ(string_member(object, name), "") << name;
  }
}

TEST(JsonMember, ReadsNothingOfWhatIsNoObject) {
  for (const Json& other : {Json(), Json("name"), Json(1), Json(true), Json::array({"name"})}) {
    EXPECT_EQ(string_member(other, "name"), "") << other.dump();
  }
}

}  // namespace
}  // namespace filecall
