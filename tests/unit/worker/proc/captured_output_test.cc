// SPDX-License-Identifier: MIT
#include "worker/proc/captured_output.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace filecall::worker {
namespace {

TEST(CapturedOutput, KeepsEverythingUpToItsCap) {
  CapturedOutput output(10);
  output.append("01234");
  output.append("56789");
  EXPECT_EQ(output.render(), "0123456789");
  EXPECT_FALSE(output.is_truncated());
  EXPECT_EQ(output.total_bytes(), 10u);
}

TEST(CapturedOutput, KeepsHeadAndTailAndCountsTheRest) {
  CapturedOutput output(8);
  output.append("abcd");
  output.append("0123456789");
  output.append("wxyz");
  EXPECT_TRUE(output.is_truncated());
  EXPECT_EQ(output.total_bytes(), 18u);
  EXPECT_EQ(output.render(), "abcd\n[... 10 bytes omitted ...]\nwxyz");
}

TEST(CapturedOutput, AddsNoEmptyLineWhenTheHeadEndsOne) {
  CapturedOutput output(6);
  output.append("ab\n0123456xyz");
  EXPECT_EQ(output.render(), "ab\n[... 7 bytes omitted ...]\nxyz");
}

TEST(CapturedOutput, GivesTheSameForEveryWayOfSplittingTheBytes) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>('a' + i % 26);
  for (const std::size_t cap : {0u, 1u, 2u, 3u, 7u, 64u, 299u, 300u, 301u}) {
    CapturedOutput whole(cap);
    whole.append(text);
    for (const std::size_t step : {1u, 2u, 3u, 5u, 31u, 100u}) {
      CapturedOutput split(cap);
      for (std::size_t at = 0; at < text.size(); at += step) {
        split.append(std::string_view(text).substr(at, step));
      }
      EXPECT_EQ(split.render(), whole.render()) << "cap " << cap << " step " << step;
    }
  }
}

TEST(CapturedOutput, CutsBetweenCharacters) {
  const std::string euro = "\xE2\x82\xAC";
  const std::string rocket = "\xF0\x9F\x9A\x80";
  for (std::size_t cap = 0; cap < 40; ++cap) {
    CapturedOutput output(cap);
    for (int i = 0; i < 20; ++i) output.append(i % 2 == 0 ? euro : rocket);
    EXPECT_TRUE(is_valid_utf8(output.render())) << "cap " << cap;
  }
}

TEST(CapturedOutput, CountsTheBytesOfASplitCharacterAsOmitted) {
  CapturedOutput output(4);
  output.append("a\xE2\x82\xAC----\xE2\x82\xACz");
  EXPECT_EQ(output.render(), "a\n[... 10 bytes omitted ...]\nz");
}

TEST(CapturedOutput, FindsTheLastLineThatSaysSomething) {
  const struct {
    const char* text;
    const char* last;
  } cases[] = {{"", ""},        {"\n \n", ""},        {"one", "one"},
               {"a\nb\n", "b"}, {"a\nb \r\n\n", "b"}, {"only\n", "only"}};
  for (const auto& c : cases) {
    CapturedOutput output(100);
    output.append(c.text);
    EXPECT_EQ(output.last_line(50), c.last) << c.text;
  }
}

TEST(CapturedOutput, BoundsTheLastLine) {
  CapturedOutput output(100);
  output.append("x\n0123456789");
  EXPECT_EQ(output.last_line(4), "0123");
}

}  // namespace
}  // namespace filecall::worker
