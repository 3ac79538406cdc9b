// SPDX-License-Identifier: MIT
#include "ipc/json_discard.h"

#include <gtest/gtest.h>

#include <utility>

#include "ipc/limits.h"

namespace filecall {
namespace {

TEST(JsonDiscard, LeavesNullOfEveryType) {
  for (const char* text : {"null", "true", "1", "-1", "1.5", R"("a text of more than 15 bytes")",
                           "[]", "{}", R"([1,[2,["x"]],{"a":[{"b":{}}]}])",
                           R"({"a":{"b":["x",{"c":"d"}],"e":{}},"f":null,"g":[[],[[]]]})"}) {
    Json value = Json::parse(text);
    discard(value);
    EXPECT_TRUE(value.is_null()) << text;
  }
}

TEST(JsonDiscard, TakesTheDeepestValueThatIsRead) {
  Json value;
  for (int depth = 0; depth < limits::kDepthMax; ++depth) {
    Json outer = depth % 2 == 0 ? Json::array() : Json::object();
    if (outer.is_array()) {
      outer.push_back(std::move(value));
    } else {
      outer["member"] = std::move(value);
    }
    value = std::move(outer);
  }
  discard(value);
  EXPECT_TRUE(value.is_null());
}

TEST(JsonDiscard, TouchesNoCopy) {
  Json value = {{"a", {1, 2, {{"b", "c"}}}}};
  const Json copy = value;
  discard(value);
  EXPECT_EQ(copy.dump(), R"({"a":[1,2,{"b":"c"}]})");
}

}  // namespace
}  // namespace filecall
