// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/log_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace filecall::worker::kube {
namespace {

TEST(LogText, LosesWhatTerminalsActOn) {
  EXPECT_EQ(readable_log("\x1b[31mred\x1b[0m\ttab\r\n"), "red\ttab\n");
  EXPECT_EQ(readable_log("\x1b]0;title\aafter"), "after");
  EXPECT_EQ(readable_log("a\x1b"), "a");
  EXPECT_EQ(readable_log("a\x1b["), "a");
  EXPECT_EQ(readable_log("\xff"), "\xEF\xBF\xBD");
}

TEST(LogText, LosesWholeSequencesOfEveryForm) {
  EXPECT_EQ(readable_log("pass\x1b(Bword"), "password")
      << "a character set, as tput sgr0 chooses it";
  EXPECT_EQ(readable_log("pass\xC2\x9B"
                         "31mword"),
            "password")
      << "CSI as one character";
  EXPECT_EQ(readable_log("\xC2\x9D"
                         "0;title\aafter"),
            "after");
  EXPECT_EQ(readable_log("a\xC2\x85"
                         "b"),
            "ab");
  EXPECT_EQ(readable_log("\xC2\xA0"
                         "b"),
            "\xC2\xA0"
            "b")
      << "a blank is no control character";
  EXPECT_EQ(readable_log("one\x1b\ntwo"), "one\ntwo") << "no line is lost";
  EXPECT_EQ(readable_log("\x1b\xC3\xA4"), "\xC3\xA4") << "no character is torn";
  EXPECT_EQ(readable_log("\x1b[31\nb"), "\nb");
}

TEST(LogText, TellsWhetherThereAreOlderLines) {
  const auto kept = [](std::string text, std::size_t lines) {
    const bool has_older = drop_older_lines(text, lines);
    return std::pair(text, has_older);
  };
  EXPECT_EQ(kept("one\ntwo\nthree\n", 2), std::pair(std::string("two\nthree\n"), true));
  EXPECT_EQ(kept("one\ntwo\nthree", 2), std::pair(std::string("two\nthree"), true));
  EXPECT_EQ(kept("one\ntwo\n", 2), std::pair(std::string("one\ntwo\n"), false));
  EXPECT_EQ(kept("\n\n", 1), std::pair(std::string("\n"), true));
  EXPECT_EQ(kept("", 1), std::pair(std::string(), false));
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
