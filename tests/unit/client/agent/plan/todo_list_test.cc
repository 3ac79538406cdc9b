// SPDX-License-Identifier: MIT
#include "client/agent/plan/todo_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::HasSubstr;

TEST(TodoList, IsAnotherVersionAfterEachChange) {
  const auto first = write_todo({}, {{"version", 0}, {"items", {"look", {{"text", "change"}}}}});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->version, 1);
  EXPECT_EQ(first->items,
            (std::vector<TodoItem>{{"1", "look", "pending"}, {"2", "change", "pending"}}));
  const auto second = write_todo(
      *first, {{"version", 1},
               {"items", {{{"id", "2"}, {"text", "change"}, {"status", "in_progress"}}, "test"}}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->version, 2);
  EXPECT_EQ(second->items[1].id, "1") << "the first free one";
  EXPECT_EQ(*read_todo(todo_json(*second)), *second);
}

TEST(TodoList, RefusesAChangeOfAnotherVersion) {
  const TodoList list{3, {}};
  const auto stale = write_todo(list, {{"version", 2}, {"items", {"x"}}});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(stale.error().message, HasSubstr("at version 3, not 2"));
}

TEST(TodoList, RefusesWhatIsNoList) {
  for (const Json& args :
       {Json(), Json::object(), Json{{"version", 0}}, Json{{"version", -1}, {"items", {"x"}}},
        Json{{"version", 0}, {"items", "x"}}, Json{{"version", 0}, {"items", {1}}},
        Json{{"version", 0}, {"items", {""}}},
        Json{{"version", 0}, {"items", {{{"text", "x"}, {"status", "maybe"}}}}},
        Json{{"version", 0},
             {"items", {{{"text", "x"}, {"id", "1"}}, {{"text", "y"}, {"id", "1"}}}}},
        Json{{"version", 0}, {"items", {std::string(3000, 'x')}}},
        Json{{"version", 0}, {"items", std::vector<std::string>(201, "x")}}}) {
    const auto written = write_todo({}, args);
    ASSERT_FALSE(written) << args;
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument) << args;
  }
}

}  // namespace
}  // namespace filecall::client
