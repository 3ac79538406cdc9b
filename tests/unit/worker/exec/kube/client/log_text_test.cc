// SPDX-License-Identifier: MIT
#include "worker/exec/kube/log_text.h"

#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

TEST(LogText, LosesWhatTerminalsActOn) {
  EXPECT_EQ(readable_log("\x1b[31mred\x1b[0m\ttab\r\n"), "red\ttab\n");
  EXPECT_EQ(readable_log("\x1b]0;title\aafter"), "after");
  EXPECT_EQ(readable_log("a\x1b"), "a");
  EXPECT_EQ(readable_log("a\x1b["), "a");
  EXPECT_EQ(readable_log("\xff"), "\xEF\xBF\xBD");
}

TEST(LogText, KeepsTheLastWholeLines) {
  const LogTail tail = last_lines("one\ntwo\nthree\n", 8);
  EXPECT_EQ(tail.text, "three\n");
  EXPECT_EQ(tail.lines, 1u);
  EXPECT_EQ(tail.left_out_bytes, 8u);
  EXPECT_EQ(last_lines("one\ntwo", 100).lines, 2u);
  EXPECT_EQ(last_lines("", 100).lines, 0u);
  EXPECT_EQ(last_lines("one\ntwo\n", 4).text, "two\n") << "exactly at a line's beginning";
}

TEST(LogText, TearsNoCharacterOfALongLine) {
  const LogTail tail = last_lines("\xC3\xA4\xC3\xA4\xC3\xA4", 3);
  EXPECT_EQ(tail.text, "\xC3\xA4");
}

}  // namespace
}  // namespace filecall::worker::kube
