// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/known_values.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace filecall::worker::kube {
namespace {

std::string masked(const KnownValues& known, std::string_view text) {
  std::vector<TextSpan> spans;
  known.find(text, spans);
  return mask_spans(text, std::move(spans));
}

TEST(KnownValues, FindsAValueAnywhereInAText) {
  KnownValues known;
  known.add("hunter2x");
  EXPECT_EQ(masked(known, "bad value \"hunter2x\" and ahunter2xb"),
            "bad value \"[redacted]\" and a[redacted]b");
  EXPECT_EQ(masked(known, "hunter2 hunter3x"), "hunter2 hunter3x");
}

TEST(KnownValues, FindsAShortValueOnlyWhereItStandsAlone) {
  KnownValues known;
  known.add("abc");
  EXPECT_EQ(masked(known, "abc abcd \"abc\" xabc abc"),
            "[redacted] abcd \"[redacted]\" xabc [redacted]");
}

TEST(KnownValues, FindsBase64AtEveryAlignment) {
  KnownValues known;
  known.add("correct horse battery staple");
  for (const std::string before : {"", "a", "ab", "abc"}) {
    const std::string text = base64_encode(before + "correct horse battery staple" + "tail");
    const std::string shown = masked(known, text);
    EXPECT_NE(shown.find("[redacted]"), std::string::npos) << text;
    EXPECT_LE(shown.size(), 10 + 16) << shown;
  }
}

TEST(KnownValues, FindsEscapedAndPercentEncodedForms) {
  KnownValues known;
  known.add("pa\"ss\nword/1");
  EXPECT_EQ(masked(known, R"({"p":"pa\"ss\nword/1"})"), R"({"p":"[redacted]"})");
  EXPECT_EQ(masked(known, "u=pa%22ss%0Aword%2F1&v"), "u=[redacted]&v");
}

TEST(KnownValues, FindsAPartOfALongValue) {
  std::string value;
  for (int i = 0; i < 60; ++i) value += static_cast<char>('!' + i);
  KnownValues known;
  known.add(value);
  EXPECT_EQ(masked(known, "starts <" + value.substr(0, 20) + " "), "starts [redacted] ");
  for (std::size_t at = 0; at + 31 <= value.size(); ++at) {
    EXPECT_NE(masked(known, value.substr(at, 31)), value.substr(at, 31)) << at;
  }
}

TEST(KnownValues, FindsALineOfAValueOfManyLines) {
  KnownValues known;
  known.add("first line of it\n  second: line2\n-----BEGIN CERTIFICATE-----\n");
  EXPECT_EQ(masked(known, "+  second: line2"), "+  [redacted]");
  EXPECT_EQ(masked(known, "-----BEGIN CERTIFI"), "-----BEGIN CERTIFI");
}

TEST(KnownValues, HidesEveryTextWhenThereIsTooMuchToRemember) {
  KnownValues known;
  known.add(std::string(KnownValues::kBytesMax + 1, 'x'));
  EXPECT_EQ(masked(known, "harmless"), "[redacted]");
}

TEST(KnownValues, FindsNothingWhenNothingIsKnown) {
  KnownValues known;
  known.add("");
  EXPECT_TRUE(known.is_empty());
  EXPECT_EQ(masked(known, "text"), "text");
}

}  // namespace
}  // namespace filecall::worker::kube
