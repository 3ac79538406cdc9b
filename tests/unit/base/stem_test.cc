// SPDX-License-Identifier: MIT
#include "base/stem.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall {
namespace {

TEST(Stem, AcceptsNamesOfOneTo200BytesOfUtf8) {
  for (const std::string& stem : {std::string("a"), std::string("request-123"), std::string("ключ"),
                                  std::string("with space"), std::string(200, 'x')}) {
    EXPECT_TRUE(is_valid_stem(stem)) << stem;
  }
}

TEST(Stem, RefusesWhatCannotBeANameOfAResponse) {
  using namespace std::string_literals;
  for (const std::string& stem : {""s, ".hidden"s, "a/b"s, "a\nb"s, "a\0b"s, "a\x7f"s, "\xff\xfe"s,
                                  std::string(201, 'x'), "\xc3"s}) {
    EXPECT_FALSE(is_valid_stem(stem)) << stem;
  }
}

}  // namespace
}  // namespace filecall
