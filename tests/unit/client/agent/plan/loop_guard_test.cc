// SPDX-License-Identifier: MIT
#include "client/agent/plan/loop_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

/// A dot, w or an exclamation mark for each step.
std::string verdicts(const std::string& steps) {
  LoopGuard guard;
  std::string out;
  for (const char step : steps)
    out += ".w!"[static_cast<int>(guard.add(std::string(1, step)).kind)];
  return out;
}

TEST(LoopGuard, WarnsAtThreeAndEndsAtFive) {
  EXPECT_EQ(verdicts("aaaaaa"), "..ww!!");
  EXPECT_EQ(verdicts("aabaab"), "......");
  EXPECT_EQ(verdicts("abababababab"), ".....wwww!!!");
  EXPECT_EQ(verdicts("abcabcabcabcabc"), "........wwwwww!");
  EXPECT_EQ(verdicts("abcdeabcdeabcde").back(), 'w');
  EXPECT_EQ(verdicts("abcdeabcdeabcdeabcdeabcde").back(), '!');
  EXPECT_EQ(verdicts("abcdefabcdefabcdefabcdefabcdefabcdef"), std::string(36, '.'));
  EXPECT_EQ(verdicts("xyaaab"), "....w.") << "something else is progress";
}

TEST(LoopGuard, SaysWhatRepeats) {
  LoopGuard guard;
  guard.add("a");
  guard.add("a");
  EXPECT_EQ(guard.add("a").text, "the same step with the same result 3 times in a row");
  LoopGuard pairs;
  LoopGuard::Verdict last;
  for (const char* key : {"a", "b", "a", "b", "a", "b"}) last = pairs.add(key);
  EXPECT_EQ(last.text, "the same 2 steps with the same results 3 times in a row");
  EXPECT_EQ(last.cycle, 2);
}

TEST(LoopGuard, HoldsTheSameCallWithAnotherResultForAnother) {
  const LoopStep step{"kube.getResource", {{"kind", "Pod"}, {"name", "a"}}, "d1"};
  LoopStep polled = step;
  polled.result_digest = "d2";
  LoopStep same = {"kube.getResource", {{"name", "a"}, {"kind", "Pod"}}, "d1"};
  EXPECT_EQ(loop_key({step}), loop_key({same}));
  EXPECT_NE(loop_key({step}), loop_key({polled}));
  EXPECT_NE(loop_key({step}), loop_key({step, step}));
  EXPECT_NE(loop_key({}), loop_key({step}));
}

}  // namespace
}  // namespace filecall::client
