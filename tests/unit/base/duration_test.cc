// SPDX-License-Identifier: MIT
#include "base/duration.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(ParseDuration, ReadsNumbersWithUnits) {
  EXPECT_EQ(parse_duration("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_duration("10s").value(), seconds(10));
  EXPECT_EQ(parse_duration("1.5s").value(), milliseconds(1500));
  EXPECT_EQ(parse_duration("5m").value(), seconds(300));
  EXPECT_EQ(parse_duration("7d").value(), seconds(7 * 86400));
  EXPECT_EQ(parse_duration("0").value(), Duration::zero());
}

TEST(ParseDuration, RefusesEverythingElseAndSaysWhatToWrite) {
  for (const char* text :
       {"", "10", "-1s", "s", "1 s", "1x", "nan s", "inf", "1e999s", "99999999d"}) {
    const auto result = parse_duration(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(result.error().message.find("250ms"), std::string::npos);
  }
}

TEST(FormatDuration, IsReadBackExactly) {
  for (const Duration d : {Duration(0), Duration(1), Duration(milliseconds(1500)),
                           Duration(seconds(90)), Duration(seconds(3600))}) {
    EXPECT_EQ(parse_duration(format_duration(d)).value(), d) << format_duration(d);
  }
  EXPECT_EQ(format_duration(seconds(300)), "5m");
}

TEST(ParseBytes, ReadsBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_bytes("65536").value(), 65536u);
  EXPECT_EQ(parse_bytes("16MiB").value(), 16u << 20);
  EXPECT_EQ(parse_bytes("10kB").value(), 10000u);
  EXPECT_FALSE(parse_bytes("10 MB"));
  EXPECT_FALSE(parse_bytes("-1"));
}

}  // namespace
}  // namespace filecall
