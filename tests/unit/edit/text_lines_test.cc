// SPDX-License-Identifier: MIT
#include "edit/text_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "edit/text_form.h"

namespace filecall::edit {
namespace {

using namespace std::string_literals;

std::string joined(const TextLines& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines.text(i);
    out += bytes_of(lines.end(i));
  }
  return out;
}

TEST(TextLines, PutTogetherAgainAreTheBytes) {
  for (const std::string& text : {""s, "a"s, "a\n"s, "\n"s, "\r\n"s, "a\r\nb\nc"s, "a\rb\r\r\n"s,
                                  "\xEF\xBB\xBFx\r\n\r\n"s, "\r"s, "ä\n\n\n"s}) {
    const auto lines = TextLines::of(text, "t");
    ASSERT_TRUE(lines);
    EXPECT_EQ(joined(*lines), text);
  }
}

TEST(TextLines, KnowHowEachLineEnds) {
  const std::string text = "a\r\nb\nc";
  const auto lines = *TextLines::of(text, "t");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines.end(0), LineEnd::kCrLf);
  EXPECT_EQ(lines.end(1), LineEnd::kLf);
  EXPECT_EQ(lines.end(2), LineEnd::kNone);
  EXPECT_TRUE(lines.lacks_final_newline());
  EXPECT_EQ(lines.end_near(2), LineEnd::kLf);
  EXPECT_EQ(lines.line_at(0), 0U);
  EXPECT_EQ(lines.line_at(2), 0U);
  EXPECT_EQ(lines.line_at(3), 1U);
  EXPECT_EQ(lines.line_at(6), 2U);
}

TEST(TextLines, WhatIsNoTextIsRefusedByName) {
  const std::pair<std::string, std::string_view> rows[] = {
      {"ab\0c"s, "f: binary: byte 3 is NUL"},
      {"a\nb\xFF"s, "f: encoding: byte 4, line 2 is not UTF-8"},
      {"\xFF\xFEh\0"s, "f: binary: byte 4 is NUL"},
      {"\xE9t\xE9"s, "f: encoding: byte 1, line 1"},
  };
  for (const auto& [text, message] : rows) {
    const auto lines = TextLines::of(text, "f");
    ASSERT_FALSE(lines);
    EXPECT_EQ(lines.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_TRUE(lines.error().message.starts_with(message)) << lines.error().message;
  }
}

TEST(TextForm, NewContentTakesTheFormOfTheOld) {
  struct Row {
    std::string before, after, wanted;
  };
  for (const auto& [before, after, wanted] : {
           Row{"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"},
           Row{"a\nb\n", "x\r\ny\r\n", "x\ny\n"},
           Row{"a\r\n", "x\r\ny\n", "x\r\ny\n"},  // Says how each line ends: as it was given.
           Row{"a\r\nb\n", "a\nb\r\n", "a\nb\r\n"},
           Row{"a\r\nb\n", "x\ny\n", "x\r\ny\n"},
           Row{"a\nb\r\n", "x\r\ny\r\n", "x\ny\r\n"},
           Row{"a\r\nb\r\nc\r\nz\n", "a\nb\nC\nz\n", "a\r\nb\r\nC\r\nz\n"},
           Row{"a\r\nb\nc\n", "a\nb\nb2\nc\nz\n", "a\r\nb\nb2\nc\nz\n"},
           Row{"a\r\nb\nc\r\n", "c\n", "c\r\n"},
           Row{"a\r\nb\nc\r\n", "0\na\nX\nY\nc\n", "0\r\na\r\nX\nY\nc\r\n"},
           Row{"a\nb\r\nc", "a\nb\nc\nz", "a\nb\r\nc\r\nz"},
           Row{"a\nb\r\nc\r\n", "a\nc", "a\nc\r\n"},
           Row{"\xEF\xBB\xBF"
               "a\r\nb\n",
               "a\nc\n",
               "\xEF\xBB\xBF"
               "a\r\nc\n"},
           Row{"a\r\nb\n", std::string("a\n\0\n", 4), std::string("a\n\0\n", 4)},
           Row{"\xEF\xBB\xBF"
               "a\n",
               "b\n",
               "\xEF\xBB\xBF"
               "b\n"},
           Row{"a\n", "b", "b\n"},
           Row{"a", "b\n", "b"},
           Row{"a\r\nb", "x\ny\n", "x\r\ny"},
           Row{"", "b", "b"},
           Row{"a\n", "", ""},
       }) {
    EXPECT_EQ(in_form_of(before, after), wanted);
  }
}

}  // namespace
}  // namespace filecall::edit
