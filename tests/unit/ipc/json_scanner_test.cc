// SPDX-License-Identifier: MIT
#include "ipc/json_scanner.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall {
namespace {

/// The string that `text` (with its quotes) stands for, or "fault: reason at offset".
std::string scan_string(std::string_view text) {
  JsonScanner scanner(text, true);
  scanner.peek();
  std::string_view out;
  if (scanner.read_string(out)) return std::string(out);
  return "fault: " + scanner.reason() + " at " + std::to_string(scanner.offset());
}

std::string scan_number(std::string_view text, bool is_exact = true) {
  JsonScanner scanner(text, is_exact);
  scanner.peek();
  Json out;
  if (!scanner.read_number(out)) return "fault: " + scanner.reason();
  return std::string(out.type_name()) + (out.is_number_float() ? " float " : " ") + out.dump() +
         (scanner.peek() == JsonScanner::kEnd ? "" : " rest");
}

TEST(JsonScanner, ReadsEveryEscape) {
  EXPECT_EQ(scan_string(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(scan_string(R"("\u0041\u00e9\u20AC\ud83d\ude00")"), "Aé€😀");
  EXPECT_EQ(scan_string(R"("\u0000")"), std::string(1, '\0'));
  EXPECT_EQ(scan_string("\"é€😀\""), "é€😀");
  EXPECT_EQ(scan_string("\"\x7f\""), "\x7f");
}

TEST(JsonScanner, RefusesStringsThatAreNone) {
  EXPECT_EQ(scan_string("\"abc"), "fault: the text ends inside a string at 4");
  EXPECT_EQ(scan_string("\"abc\\"), "fault: the text ends inside a string at 5");
  EXPECT_EQ(scan_string("\"\\u12"), "fault: the text ends inside a string at 5");
  EXPECT_EQ(scan_string(R"("\x41")"), "fault: an unknown escape inside a string at 1");
  EXPECT_EQ(scan_string(R"("\u12g4")"), "fault: \\u without four hex digits at 1");
  EXPECT_EQ(scan_string(R"("\u-123")"), "fault: \\u without four hex digits at 1");
  EXPECT_NE(scan_string("\"a\nb\"").find("control character"), std::string::npos);
  EXPECT_NE(scan_string(std::string("\"a\0b\"", 5)).find("control character"), std::string::npos);
}

TEST(JsonScanner, RefusesHalfSurrogatePairs) {
  for (const char* text : {R"("\ud83d")", R"("\ude00")", R"("\ud83d\ud83d")", R"("\ud83dx")",
                           R"("\ud83d\n")", R"("\ude00\ud83d")"}) {
    EXPECT_NE(scan_string(text).find("half a surrogate pair"), std::string::npos) << text;
  }
}

TEST(JsonScanner, RefusesWhatIsNotUtf8AndSaysWhere) {
  for (const char* bytes : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                            "\xe2\x82", "\xf0\x9f\x98"}) {
    EXPECT_EQ(scan_string("\"ab" + std::string(bytes) + "\""),
              "fault: a byte that is not UTF-8 at 3");
  }
}

TEST(JsonScanner, KeepsNumbersAsTheyAreWritten) {
  EXPECT_EQ(scan_number("0"), "number 0");
  EXPECT_EQ(scan_number("-5"), "number -5");
  EXPECT_EQ(scan_number("9223372036854775807"), "number 9223372036854775807");
  EXPECT_EQ(scan_number("-9223372036854775808"), "number -9223372036854775808");
  EXPECT_EQ(scan_number("18446744073709551615"), "number 18446744073709551615");
  EXPECT_EQ(scan_number("1.5e3"), "number float 1500.0");
  EXPECT_EQ(scan_number("-0.0"), "number float -0.0");
  EXPECT_EQ(scan_number("2.0"), "number float 2.0");
  EXPECT_EQ(scan_number("1E+2"), "number float 100.0");
  EXPECT_EQ(scan_number("1e-400"), "number float 0.0");
  EXPECT_EQ(scan_number("5e-324"), "number float 5e-324");
}

TEST(JsonScanner, RefusesWhatIsNoNumber) {
  for (const char* text : {"-", "01", "-01", "1.", "1.e3", "1e", "1e+", "-x", "--1"}) {
    EXPECT_EQ(scan_number(text).substr(0, 6), "fault:") << text;
  }
  // What follows a number is the grammar's business.
  EXPECT_EQ(scan_number("1x"), "number 1 rest");
  EXPECT_EQ(scan_number("0x10"), "number 0 rest");
}

TEST(JsonScanner, RefusesNumbersThatCannotBeKept) {
  for (const char* text : {"1e999", "-1e999"}) {
    JsonScanner scanner(text, true);
    Json out;
    EXPECT_FALSE(scanner.read_number(out));
    EXPECT_TRUE(scanner.is_unrepresentable());
  }
  for (const char* text : {"18446744073709551616", "-9223372036854775809"}) {
    EXPECT_NE(scan_number(text).find("lose digits"), std::string::npos);
    EXPECT_EQ(scan_number(text, false).substr(0, 12), "number float") << "a lenient reader";
  }
}

TEST(JsonScanner, SkipsOnlyTheWhiteSpaceOfJson) {
  JsonScanner scanner(" \t\r\n x", true);
  EXPECT_EQ(scanner.peek(), 'x');
  EXPECT_EQ(scanner.offset(), 5U);
  JsonScanner vertical_tab("\v1", true);
  EXPECT_EQ(vertical_tab.peek(), '\v');
}

}  // namespace
}  // namespace filecall
