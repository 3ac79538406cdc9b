// SPDX-License-Identifier: MIT
#include "client/core/request_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kText =
    R"({"request_id":"a","command":"c","params":{"n":1,"list":[1,{"x":2}]}})";

/// The text after one --set or --unset; what is wrong otherwise.
std::string edited(std::string_view set, bool unsets = false) {
  MemberChange change;
  if (unsets) {
    auto path = parse_member_path(set);
    if (!path) return path.error().message;
    change.path = *path;
  } else {
    auto parsed = parse_member_value(set);
    if (!parsed) return parsed.error().message;
    change = *parsed;
  }
  const auto text = edited_request(kText, {&change, 1});
  return text ? *text : text.error().message;
}

TEST(RequestEdit, SetsMembersByTheirPaths) {
  const std::pair<const char*, const char*> rows[] = {
      {"params.n=2", R"("n":2)"},
      {"params.n=two", R"("n":"two")"},
      {"params.n=\"2\"", R"("n":"2")"},
      {"params.n=", R"("n":"")"},
      {"params.n=a=b", R"("n":"a=b")"},
      {"params.n={\"y\": [null]}", R"("n":{"y":[null]})"},
      {"params.new.deep=true", R"("new":{"deep":true})"},
      {"params.list.0=7", R"("list":[7,{"x":2}])"},
      {"params.list.1.x=7", R"("list":[1,{"x":7}])"},
      {"/params/a.b=7", R"("a.b":7)"},
      {"/params/a~1b~0=7", R"("a/b~":7)"},
      {"priority=5", R"("priority":5)"}};
  for (const auto& [set, part] : rows) EXPECT_THAT(edited(set), HasSubstr(part)) << set;
}

TEST(RequestEdit, RemovesMembers) {
  EXPECT_EQ(edited("params.n", true),
            R"({"command":"c","params":{"list":[1,{"x":2}]},"request_id":"a"})"
            "\n");
  EXPECT_THAT(edited("params.list.0", true), HasSubstr(R"("list":[{"x":2}])"));
  for (const char* none : {"params.none", "none.of.these"}) EXPECT_EQ(edited(none, true), kText);
}

TEST(RequestEdit, LeavesATextAsItIsWhenNothingChanges) { EXPECT_EQ(edited("params.n=1"), kText); }

TEST(RequestEdit, SaysWhatIsWrongWithAPath) {
  const std::pair<const char*, const char*> rows[] = {
      {"params.n", "has no value"},
      {"=1", "names no member"},
      {"params..n=1", "names no member"},
      {"params.list.2=1", "no such element"},
      {"params.list.x=1", "no such element"},
      {"params.n.x=1", "is no member of an object"},
      {"params.n.x.y=1", "neither an object nor an array"},
      {"/params/~2=1", "~0"}};
  for (const auto& [set, part] : rows) EXPECT_THAT(edited(set), HasSubstr(part)) << set;
}

TEST(RequestEdit, NamesTheMembersThatDiffer) {
  const auto changed =
      changed_members(R"({"a":1,"b":{"c":1},"d":1})", R"({"d":1,"b":{"c":2},"e":1})");
  ASSERT_TRUE(changed.has_value());
  EXPECT_THAT(*changed, ElementsAre("a", "b", "e"));
  EXPECT_THAT(*changed_members(R"({"a":1.0,"b":1})", R"({"b":1, "a":1.0})"), ElementsAre());
  EXPECT_FALSE(changed_members("{", "{}").has_value());
  EXPECT_FALSE(changed_members("{}", "[]").has_value());
}

TEST(RequestEdit, LetsNothingBecomeUntrueThatOthersHold) {
  struct Row {
    EditClaims claims;
    std::vector<std::string> members;
    const char* refusal;  ///< Empty: it may be edited.
  };
  const Row rows[] = {
      {{}, {"params"}, ""},
      {{.is_between_attempts = true}, {"params"}, "the next one asks the same"},
      {{.batch = "b.jsonl"}, {"priority", "params"}, "batch b.jsonl asked it"},
      {{.waiting_client = "call-1"}, {"timeout_ms"}, "the client call-1 waits"},
      {{.is_between_attempts = true, .batch = "b", .waiting_client = "c"}, {"priority"}, ""}};
  for (const Row& row : rows) {
    const auto admitted = admit_edit("a", row.claims, row.members);
    EXPECT_EQ(admitted.has_value(), std::string_view(row.refusal).empty()) << row.refusal;
    if (admitted) continue;
    EXPECT_EQ(admitted.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_THAT(admitted.error().message, HasSubstr(row.refusal));
  }
}

}  // namespace
}  // namespace filecall::client
