// SPDX-License-Identifier: MIT
#include "base/visible_text.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall {
namespace {

TEST(VisibleText, LeavesWhatPeopleSeeAsItIs) {
  for (const char* text : {"", "make test", "Größe 5 €", "日本語", "\\u200b"}) {
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
               {"a\xc2\xa0 b", "a\\u00a0 b"},
               {"\xe2\x80\x83", "\\u2003"},
               {"\xe2\x80\xaf", "\\u202f"},
               {"\xe2\x81\x9f", "\\u205f"},
               {"\xe3\x80\x80", "\\u3000"},
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

TEST(VisibleText, FoldsRowsThatATerminalWouldFoldWithoutABar) {
  EXPECT_EQ(folded_lines("0123456789abcdef\nx\n", 12, "| "), "0123456789ab\n| cdef\nx\n");
  EXPECT_EQ(folded_lines("0123456789ab\n", 12, "| "), "0123456789ab\n") << "it fits";
  EXPECT_EQ(folded_lines("", 12, "| "), "");
  EXPECT_EQ(folded_lines("\x1b[1m0123456789ab\x1b[0mc", 12, "| "),
            "\x1b[1m0123456789ab\x1b[0m\n| c");
  EXPECT_EQ(folded_lines("a\tb\tc", 12, "| "), "a\tb\n| \tc");
  EXPECT_EQ(folded_lines("0123456789a日b", 12, "| "), "0123456789a\n| 日b");
  EXPECT_EQ(folded_lines("0123456789abcdef", 0, "| "), "0123456789abcdef") << "no terminal";
  for (std::size_t columns = 10; columns < 40; ++columns) {
    const std::string folded = folded_lines(std::string(500, 'x'), columns, "| ");
    for (std::size_t at = 0; at < folded.size();) {
      const std::size_t end = std::min(folded.find('\n', at), folded.size());
      EXPECT_LE(end - at, columns);
      EXPECT_TRUE(at == 0 || folded.compare(at, 2, "| ") == 0);
      at = end + 1;
    }
  }
}

TEST(VisibleText, QuotesEachLine) {
  EXPECT_EQ(quoted_lines("", "| "), "");
  EXPECT_EQ(quoted_lines("one\n\ntwo", "| "), "| one\n| \n| two\n");
  EXPECT_EQ(quoted_lines("one\n", "| "), "| one\n");
}

}  // namespace
}  // namespace filecall
