// SPDX-License-Identifier: MIT
#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace filecall {
namespace {

// RFC 4648 section 10.
TEST(Base64, EncodesTheVectorsOfTheRfc) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_encode("\xff\xfe"), "//4=");
}

TEST(Base64, DecodesWhatItEncodes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
}

TEST(Base64, RefusesWhatItDidNotEncode) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg= ", "Zm9v\n", "====", "Z===", "Zm=v", "Zm9-"}) {
    EXPECT_FALSE(base64_decode(text).has_value()) << text;
  }
}

TEST(Utf8, ReplacesOnlyWhatIsMalformed) {
  EXPECT_EQ(sanitize_utf8("a\xff"
                          "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(sanitize_utf8("привет"), "привет");
}

}  // namespace
}  // namespace filecall
