// SPDX-License-Identifier: MIT
#include "ipc/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/random.h"
#include "base/utf8.h"

namespace filecall {
namespace {

std::string text_of(const Json& value) {
  std::string out;
  append_json(out, value);
  return out;
}

TEST(JsonText, WritesEveryTypeInOneLine) {
  EXPECT_EQ(text_of(Json::parse(R"( {"b": [1, -2, 2.5, true, false, null, []], "a": {}} )")),
            R"({"a":{},"b":[1,-2,2.5,true,false,null,[]]})");
  EXPECT_EQ(text_of(Json(18446744073709551615ULL)), "18446744073709551615");
  EXPECT_EQ(text_of(Json(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
}

TEST(JsonText, KeepsFloatsFloats) {
  for (const double number : {0.0, -0.0, 1.0, 1e22, 1e300, 5e-324, 0.1, -123456.789}) {
    const Json again = Json::parse(text_of(Json(number)));
    EXPECT_TRUE(again.is_number_float()) << number;
    EXPECT_EQ(again.get<double>(), number);
    EXPECT_EQ(std::signbit(again.get<double>()), std::signbit(number));
  }
}

TEST(JsonText, WritesNullForWhatJsonCannotSay) {
  EXPECT_EQ(text_of(Json(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(text_of(Json(std::nan(""))), "null");
  EXPECT_EQ(text_of(Json::binary({1, 2})), "null");
}

TEST(JsonText, EscapesWhatMustBeEscapedAndNothingElse) {
  EXPECT_EQ(text_of(Json("\"\\/\b\f\n\r\t\x01\x1f\x7f é😀")),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f é😀\"");
  EXPECT_EQ(text_of(Json(std::string(1, '\0'))), "\"\\u0000\"");
}

TEST(JsonText, ReplacesMalformedUtf8) {
  EXPECT_EQ(text_of(Json("a\xff"
                         "b")),
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(text_of(Json::object({{"k\xff", 1}})), "{\"k\xef\xbf\xbd\":1}");
}

TEST(JsonText, AgreesWithTheLibraryOnRandomStrings) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint64_t i = random.below(20); i > 0; --i) {
      text.push_back(static_cast<char>(random.below(128)));
    }
    EXPECT_EQ(text_of(Json(text)), Json(text).dump());
  }
}

Json random_value(Random& random, int depth) {
  switch (random.below(depth == 0 ? 4 : 7)) {
    case 0:
      return Json(static_cast<std::int64_t>(random.below(3)) - 1);
    case 1:
      return Json(std::string(random.below(200), 'v'));
    case 2:
      return Json("a\n\"é\\");
    case 3:
      return random.below(2) == 0 ? Json(true) : Json();
    case 4: {
      Json array = Json::array();
      for (std::uint64_t i = random.below(6); i > 0; --i) {
        array.push_back(random_value(random, depth - 1));
      }
      return array;
    }
    default: {
      Json object = Json::object();
      for (std::uint64_t i = random.below(6); i > 0; --i) {
        object[random.hex(static_cast<int>(1 + random.below(20)))] =
            random_value(random, depth - 1);
      }
      return object;
    }
  }
}

TEST(JsonText, AgreesWithTheLibraryBehindWhatIsThereAlready) {
  Random random(8);
  for (int round = 0; round < 2000; ++round) {
    const std::string before(random.below(100), '=');
    const Json value = random_value(random, 4);
    std::string out = before;
    append_json(out, value);
    append_json_string(out, before);
    append_json_integer(out, -7);
    ASSERT_EQ(out, before + value.dump() + '"' + before + "\"-7");
  }
}

TEST(JsonText, ShortensAtACharacterBoundary) {
  EXPECT_EQ(excerpt("short", 5), "short");
  EXPECT_EQ(excerpt("longer", 5), "longe...");
  EXPECT_EQ(excerpt("aaaé", 4), "aaa...");
  EXPECT_TRUE(is_valid_utf8(excerpt("\xff\xfe\xfd", 2)));
}

}  // namespace
}  // namespace filecall
