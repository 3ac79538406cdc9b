// SPDX-License-Identifier: MIT
#include "client/report/text_layout.h"

#include <gtest/gtest.h>

#include <utility>

namespace filecall::client {
namespace {

TEST(TextLayout, WritesDurationsForPeople) {
  const std::pair<Duration, const char*> rows[] = {
      {milliseconds(0), "0.0s"}, {milliseconds(420), "0.4s"},
      {seconds(59), "59s"},      {seconds(185), "3m 05s"},
      {seconds(7620), "2h 07m"}, {seconds(4 * 86'400 + 7200), "4d 2h"}};
  for (const auto& [duration, text] : rows) EXPECT_EQ(human_duration(duration), text);
}

TEST(TextLayout, WritesCountsInGroupsOfThree) {
  const std::pair<std::int64_t, const char*> rows[] = {
      {0, "0"}, {999, "999"}, {1000, "1 000"}, {1234567, "1 234 567"}, {-1000, "-1 000"}};
  for (const auto& [count, text] : rows) EXPECT_EQ(human_count(count), text);
}

TEST(TextLayout, OneLineDisarmsTerminalEscapes) {
  EXPECT_EQ(one_line("a\x1b[31mb\nc\td", 80), "a\xef\xbf\xbd[31mb c d");
  EXPECT_EQ(one_line("a\xc2\x9b"
                     "1mb",
                     80),
            "a\xef\xbf\xbd"
            "1mb");
  EXPECT_EQ(one_line("\xff", 80), "\xef\xbf\xbd");
}

TEST(TextLayout, ShowsNoCharacterThatATerminalObeys) {
  const std::string kReplaced = "\xef\xbf\xbd";
  // DEL, C1 (CSI), U+061C, U+200E, U+202E, U+2066.
  for (const char* hidden : {"\x7f", "\xc2\x9b", "\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\xae",
                             "\xe2\x81\xa6", "\x1b", "\x07"}) {
    const std::string text = std::string("a") + hidden + "b";
    EXPECT_EQ(one_line(text, 10), "a" + kReplaced + "b");
    EXPECT_EQ(without_controls(text), "a" + kReplaced + "b");
    EXPECT_EQ(for_terminal(text), "a" + kReplaced + "b");
  }
  for (const char* shown : {"\xc2\xa0", "\xd8\xa7", "\xe2\x80\x94", "\xe2\x82\xac", "e\xcc\x81"}) {
    EXPECT_EQ(one_line(shown, 10), shown);
    EXPECT_EQ(for_terminal(shown), shown);
  }
  EXPECT_EQ(for_terminal("\x1b[1;31mred\x1b[0m\n\tx"), "\x1b[1;31mred\x1b[0m\n\tx");
  EXPECT_EQ(for_terminal("\x1b[2J\x1b]0;title"), kReplaced + "[2J" + kReplaced + "]0;title");
  EXPECT_EQ(for_terminal("\x1b["), kReplaced + "[");
}

TEST(TextLayout, OneLineCutsByCharacters) {
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdefg", 6), "abc...");
  EXPECT_EQ(one_line("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4), "\xc3\xa9...");
}

TEST(TextLayout, SaysWhatSomethingCostsWithDigitsThatAreNoZeros) {
  const struct {
    double dollars;
    const char* wanted;
  } kCases[] = {{0, "$0.00"},          {-1, "$0.00"},           {12.345, "$12.35"},
                {1, "$1.00"},          {0.5, "$0.500"},         {0.014, "$0.014"},
                {0.01, "$0.010"},      {0.0099, "$0.0099"},     {0.004, "$0.0040"},
                {0.00042, "$0.00042"}, {1.5e-7, "$0.00000015"}, {1e-30, "<$0.000000000001"}};
  for (const auto& one : kCases) EXPECT_EQ(human_cost(one.dollars), one.wanted);
}

TEST(TextLayout, TableAlignsColumns) {
  EXPECT_EQ(table({{"ID", "N"}, {"a", "1"}, {"long", "100"}}, {1}),
            "ID      N\n"
            "a       1\n"
            "long  100\n");
}

}  // namespace
}  // namespace filecall::client
