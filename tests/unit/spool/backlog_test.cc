// SPDX-License-Identifier: MIT
#include "spool/backlog.h"

#include <gtest/gtest.h>

#include "spool/settling.h"

namespace filecall::spool {
namespace {

NameList names(std::initializer_list<std::string_view> list) {
  NameList out;
  for (const std::string_view name : list) out.add(name);
  return out;
}

std::string pop_all(Backlog& backlog) {
  std::string out;
  while (const auto stem = backlog.pop()) out += *stem;
  return out;
}

TEST(Backlog, KeepsEachHintOnceInTheirOrder) {
  Backlog backlog;
  EXPECT_TRUE(backlog.push("c"));
  EXPECT_TRUE(backlog.push("a"));
  EXPECT_FALSE(backlog.push("c"));
  EXPECT_EQ(backlog.size(), 2u);
  EXPECT_EQ(pop_all(backlog), "ca");
  EXPECT_TRUE(backlog.empty());
  EXPECT_TRUE(backlog.push("c")) << "it may come again";
}

TEST(Backlog, TakesTurnsSoThatNeitherStarves) {
  Backlog backlog;
  backlog.replace_scanned(names({"1", "2", "3"}));
  backlog.push("a");
  backlog.push("b");
  EXPECT_EQ(pop_all(backlog), "a1b23");
}

TEST(Backlog, ReplacesAnOldScan) {
  Backlog backlog;
  backlog.replace_scanned(names({"1", "2", "3"}));
  EXPECT_EQ(backlog.pop(), "1");
  EXPECT_TRUE(backlog.contains("2"));
  EXPECT_FALSE(backlog.contains("1"));
  backlog.replace_scanned(names({"3"}));
  EXPECT_EQ(backlog.size(), 1u);
  EXPECT_EQ(pop_all(backlog), "3");
}

TEST(Backlog, ForgetsBeyondItsBoundAndSaysSo) {
  Backlog backlog;
  for (std::size_t i = 0; i < Backlog::kHintsMax; ++i) ASSERT_TRUE(backlog.push(std::to_string(i)));
  EXPECT_FALSE(backlog.has_forgotten());
  EXPECT_FALSE(backlog.push("one more"));
  EXPECT_TRUE(backlog.has_forgotten());
  EXPECT_EQ(backlog.size(), Backlog::kHintsMax);
}

TEST(Settling, BringsUpWhatIsDueInOrder) {
  const auto at = [](int ms) { return MonotonicTime(milliseconds(ms)); };
  Settling settling;
  EXPECT_TRUE(settling.next_due().is_never());
  settling.put("b", {}, at(20));
  settling.put("a", {}, at(10));
  settling.put("gone", {}, at(1));
  settling.erase("gone");
  EXPECT_EQ(settling.next_due().when(), at(10));
  settling.put("a", {}, at(30));
  EXPECT_EQ(settling.next_due().when(), at(20));
  EXPECT_TRUE(settling.take_due(at(19)).empty());
  EXPECT_EQ(settling.take_due(at(30)), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(settling.take_due(at(99)).empty()) << "each once";
  EXPECT_TRUE(settling.next_due().is_never());
  EXPECT_EQ(settling.size(), 2u) << "they settle until somebody decides";
  EXPECT_TRUE(settling.find("a")->is_due);
}

}  // namespace
}  // namespace filecall::spool
