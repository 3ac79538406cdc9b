// SPDX-License-Identifier: MIT
#include "base/visible_text.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall {
namespace {

TEST(VisibleText, LeavesWhatPeopleSeeAsItIs) {
  for (const char* text : {"", "make test", "Größe 5 €", "日本語", "a\xc2\xa0 b", "\\u200b"}) {
    EXPECT_EQ(visible_text(text), text);
    EXPECT_EQ(visible_line(text), text);
  }
  EXPECT_EQ(visible_text("one\n\ttwo\n"), "one\n\ttwo\n");
}

TEST(VisibleText, IsOneLineWhereOneIsAskedFor) {
  EXPECT_EQ(visible_line("x\nsandbox: none\t\r"), "x\\nsandbox: none\\t\\r");
}

TEST(VisibleText, ShowsEveryCharacterThatNobodySees) {
  const struct {
    const char* text;
    const char* shown;
  } cases[] = {{"\x1b[2J", "\\u001b[2J"},
               {"\x7f", "\\u007f"},
               {"\xc2\x9b", "\\u009b"},
               {"\xc2\xad", "\\u00ad"},
               {"\xd8\x9c", "\\u061c"},
               {"\xe2\x80\x8b", "\\u200b"},
               {"\xe2\x80\x8c", "\\u200c"},
               {"\xe2\x80\x8d", "\\u200d"},
               {"\xe2\x80\x8e", "\\u200e"},
               {"\xe2\x80\x8f", "\\u200f"},
               {"\xe2\x80\xa8", "\\u2028"},
               {"\xe2\x80\xa9", "\\u2029"},
               {"\xe2\x80\xaa", "\\u202a"},
               {"\xe2\x80\xae", "\\u202e"},
               {"\xe2\x81\xa0", "\\u2060"},
               {"\xe2\x81\xa9", "\\u2069"},
               {"\xef\xbb\xbf", "\\ufeff"},
               {"\xf3\xa0\x80\x81", "\\U000e0001"},
               {"\xf3\xa0\x81\xbf", "\\U000e007f"},
               {"\xf3\xa0\x84\x80", "\\U000e0100"},
               {"\xff", "\xef\xbf\xbd"}};
  for (const auto& one : cases) {
    EXPECT_EQ(visible_text(one.text), one.shown);
    EXPECT_EQ(visible_line(std::string("a") + one.text + "b"), std::string("a") + one.shown + "b");
  }
}

TEST(VisibleText, QuotesEachLine) {
  EXPECT_EQ(quoted_lines("", "| "), "");
  EXPECT_EQ(quoted_lines("one\n\ntwo", "| "), "| one\n| \n| two\n");
  EXPECT_EQ(quoted_lines("one\n", "| "), "| one\n");
}

}  // namespace
}  // namespace filecall
