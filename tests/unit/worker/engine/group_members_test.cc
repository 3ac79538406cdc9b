// SPDX-License-Identifier: MIT
#include "worker/engine/group_members.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

constexpr std::uint32_t kTeam = 500;
constexpr std::uint32_t kOwn = 900;
const MonotonicTime kBegin{seconds(1000)};

TEST(GroupMembers, AsksTheDatabaseAndWhereItKnowsNobodyTheFilesGroup) {
  GroupMembers members(kTeam, kOwn, [](uid_t uid) -> Result<std::optional<bool>> {
    if (uid == 1) return std::optional(true);
    if (uid == 2) return std::optional(false);
    return std::optional<bool>();
  });
  struct Case {
    const char* what;
    spool::FileOwner owner;
    bool may_ask;
  };
  const Case cases[] = {
      {"a member", {1, kTeam}, true},
      {"a member whose file came from elsewhere", {1, 7}, true},
      {"no member", {2, 7}, false},
      {"no member, whose file has the group", {2, kTeam}, false},
      {"unknown, of the group", {3, kTeam}, true},
      {"unknown, of another group", {3, 7}, false},
      {"the worker's user", {kOwn, 7}, true},
      {"root", {0, 0}, true},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(members.may_ask(one.owner, kBegin), one.may_ask) << one.what;
  }
}

TEST(GroupMembers, LooksAgainAfterAMinute) {
  int looks = 0;
  bool is_member = true;
  GroupMembers members(kTeam, kOwn, [&](uid_t) -> Result<std::optional<bool>> {
    ++looks;
    return std::optional(is_member);
  });
  EXPECT_TRUE(members.may_ask({1, kTeam}, kBegin));
  is_member = false;
  EXPECT_TRUE(members.may_ask({1, kTeam}, kBegin + seconds(59)));
  EXPECT_EQ(looks, 1);
  EXPECT_FALSE(members.may_ask({1, kTeam}, kBegin + seconds(60)));
}

TEST(GroupMembers, KeepsWhatItKnowsAndAcceptsNobodyNewWhileTheDatabaseCannotBeRead) {
  bool is_broken = false;
  GroupMembers members(kTeam, kOwn, [&](uid_t uid) -> Result<std::optional<bool>> {
    if (is_broken) return fail(ErrorCode::kUnavailable, "broken");
    return uid == 3 ? std::optional<bool>() : std::optional(uid == 1);
  });
  for (const uid_t uid : {1U, 2U, 3U}) (void)members.may_ask({uid, kTeam}, kBegin);
  is_broken = true;
  const MonotonicTime later = kBegin + seconds(600);
  EXPECT_TRUE(members.may_ask({1, kTeam}, later));
  EXPECT_FALSE(members.may_ask({2, kTeam}, later));
  EXPECT_FALSE(members.may_ask({4, kTeam}, later)) << "nobody has said who that is";
  is_broken = false;
  EXPECT_FALSE(members.may_ask({4, 7}, later));
  EXPECT_TRUE(members.may_ask({3, kTeam}, later));
}

}  // namespace
}  // namespace filecall::worker
