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

TEST(TextLayout, OneLineCutsByCharacters) {
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdefg", 6), "abc...");
  EXPECT_EQ(one_line("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4), "\xc3\xa9...");
}

TEST(TextLayout, TableAlignsColumns) {
  EXPECT_EQ(table({{"ID", "N"}, {"a", "1"}, {"long", "100"}}, {1}),
            "ID      N\n"
            "a       1\n"
            "long  100\n");
}

}  // namespace
}  // namespace filecall::client
