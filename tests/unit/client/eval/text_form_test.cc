// SPDX-License-Identifier: MIT
#include "client/eval/text_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TextForm, ChangesWhatItIsToldToAndNothingElse) {
  const struct {
    std::string_view text;
    TextForm form;
    std::string_view wanted;
  } kCases[] = {
      {" Paris.\n", {.trim = true}, "Paris."},
      {" Paris.\n", {.trim = false}, " Paris.\n"},
      {"\xc2\xa0Paris\xe2\x80\x83", {.trim = true}, "Paris"},  // NO-BREAK SPACE, EM SPACE
      {" \t ", {.trim = true}, ""},
      {"", {}, ""},
      {"STRASSE \xc3\x84", {.ignore_case = true}, "strasse \xc3\xa4"},
      {"Stra\xc3\x9f"
       "e",
       {.ignore_case = true},
       "strasse"},  // Case folding, not lower case.
      {"A", {.ignore_case = false}, "A"},
      {"a \n\n b\tc", {.one_space = true}, "a b c"},
      {" a ", {.trim = false, .one_space = true}, " a "},
      {"e\xcc\x81t\xc3\xa9", {}, "\xc3\xa9t\xc3\xa9"},  // Two spellings of one letter.
      {"\xff\xfe", {}, "\xef\xbf\xbd\xef\xbf\xbd"},
  };
  for (const auto& row : kCases) EXPECT_EQ(in_form(row.text, row.form), row.wanted) << row.text;
}

TEST(Words, AreFoldedAndLosePunctuationAtTheirEnds) {
  EXPECT_THAT(words_of("The CAT's \"hat\" -- (is) red!"),
              ElementsAre("the", "cat's", "hat", "is", "red"));
  EXPECT_THAT(words_of("\xe3\x80\x8cT\xc5\x8dky\xc5\x8d\xe3\x80\x8d\xe3\x80\x82"),
              ElementsAre("t\xc5\x8dky\xc5\x8d"));
  EXPECT_THAT(words_of(" ... !? \n"), IsEmpty());
  EXPECT_THAT(words_of(""), IsEmpty());
}

TEST(CodePoints, AreCountedNotBytes) {
  EXPECT_EQ(code_points_of("a\xc3\xa4\xf0\x9f\x98\x80").size(), 3U);
  EXPECT_EQ(code_points_of("a\xff"
                           "b"),
            U"a\xfffd"
            U"b");
}

}  // namespace
}  // namespace filecall::client
