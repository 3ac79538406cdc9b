// SPDX-License-Identifier: MIT
#include "client/report/items/body_file.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(BodyFile, GivesBackWhatItTookHoweverMuch) {
  for (const int lines : {0, 10, 300'000}) {
    BodyFile body(testing::TempDir());
    std::string expected;
    for (int i = 0; i < lines; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      expected += line;
      body.append(line);
    }
    std::string got;
    ASSERT_TRUE(body.read_back([&](std::string_view piece) { got += piece; }));
    EXPECT_TRUE(got == expected) << lines;
  }
}

TEST(BodyFile, ReportsThatItCouldNotBeWritten) {
  BodyFile body("/no/such/folder");
  body.append(std::string(2 << 20, 'x'));
  EXPECT_FALSE(body.read_back([](std::string_view) {}));
}

}  // namespace
}  // namespace filecall::client
