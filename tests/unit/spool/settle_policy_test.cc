// SPDX-License-Identifier: MIT
#include "spool/settle_policy.h"

#include <gtest/gtest.h>

namespace filecall::spool {
namespace {

constexpr Duration kTime = milliseconds(250);
constexpr auto kSyntax = RequestFault::Kind::kSyntax;
constexpr auto kInvalid = RequestFault::Kind::kInvalid;

MonotonicTime at(int ms) { return MonotonicTime(milliseconds(ms)); }
FileIdentity sized(std::int64_t size) { return {1, 1, size}; }

struct Row {
  const char* name;
  RequestFault::Kind kind;
  Writer writer;
  std::int64_t size;
  int changed_ms;
  int now_ms;
  bool deliver;
  int look_again_ms;
};

TEST(SettlePolicy, FollowsItsTable) {
  const Row rows[] = {
      {"just seen", kSyntax, Writer::kNone, 5, 0, 0, false, 250},
      {"not yet stable", kSyntax, Writer::kNone, 5, 0, 249, false, 250},
      {"stable", kSyntax, Writer::kNone, 5, 0, 250, true, 0},
      {"stable, writer unknown", kSyntax, Writer::kUnknown, 5, 0, 250, true, 0},
      {"just seen, writer unknown", kSyntax, Writer::kUnknown, 5, 0, 0, false, 250},
      {"empty takes longer", kSyntax, Writer::kNone, 0, 0, 250, false, 2000},
      {"empty, almost", kSyntax, Writer::kNone, 0, 0, 1999, false, 2000},
      {"empty for long", kSyntax, Writer::kNone, 0, 0, 2000, true, 0},
      {"writer has it open", kSyntax, Writer::kOpen, 5, 0, 250, false, 500},
      {"writer has it open for long: seldom", kSyntax, Writer::kOpen, 5, 0, 8000, false, 10000},
      {"but not too seldom", kSyntax, Writer::kOpen, 5, 0, 1000000, false, 1005000},
      {"empty and open", kSyntax, Writer::kOpen, 0, 0, 9000, false, 11250},
      {"broken rule", kInvalid, Writer::kNone, 5, 0, 0, true, 0},
      {"broken rule, writer unknown", kInvalid, Writer::kUnknown, 5, 0, 0, true, 0},
      {"broken rule, but open", kInvalid, Writer::kOpen, 5, 0, 100000, false, 105000},
  };
  for (const Row& row : rows) {
    SettleState state{sized(row.size), at(row.changed_ms)};
    const auto verdict =
        settle(state, {row.kind, row.writer, sized(row.size)}, false, at(row.now_ms), kTime);
    EXPECT_EQ(verdict.deliver, row.deliver) << row.name;
    if (!row.deliver) {
      EXPECT_EQ(verdict.look_again, at(row.look_again_ms)) << row.name;
    }
  }
}

TEST(SettlePolicy, StartsAnewWhenTheFileChanges) {
  for (const FileIdentity& changed :
       {FileIdentity{2, 1, 5}, FileIdentity{1, 2, 5}, FileIdentity{1, 1, 6}}) {
    SettleState state{sized(5), at(0)};
    const auto verdict = settle(state, {kSyntax, Writer::kNone, changed}, false, at(900), kTime);
    EXPECT_FALSE(verdict.deliver);
    EXPECT_EQ(verdict.look_again, at(1150));
    EXPECT_EQ(state.identity, changed);
  }
}

TEST(SettlePolicy, StartsAnewAtAnEvent) {
  SettleState state{sized(5), at(0)};
  const auto verdict = settle(state, {kSyntax, Writer::kNone, sized(5)}, true, at(900), kTime);
  EXPECT_FALSE(verdict.deliver);
  EXPECT_EQ(verdict.look_again, at(1150));
}

TEST(SettlePolicy, AlwaysEndsWithoutAWriterAndNeverWithOne) {
  SettleState quiet{sized(5), at(0)};
  MonotonicTime now = at(0);
  int looks = 0;
  for (;; ++looks) {
    const auto verdict = settle(quiet, {kSyntax, Writer::kUnknown, sized(5)}, false, now, kTime);
    if (verdict.deliver) break;
    ASSERT_GT(verdict.look_again, now);
    now = verdict.look_again;
  }
  EXPECT_EQ(looks, 1);

  SettleState open{sized(5), at(0)};
  for (looks = 0; looks < 1000; ++looks) {
    const auto verdict = settle(open, {kSyntax, Writer::kOpen, sized(5)}, false, now, kTime);
    ASSERT_FALSE(verdict.deliver);
    ASSERT_GT(verdict.look_again, now);
    now = verdict.look_again;
  }
}

}  // namespace
}  // namespace filecall::spool
