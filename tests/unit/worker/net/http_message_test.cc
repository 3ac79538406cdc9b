// SPDX-License-Identifier: MIT
#include "worker/net/http_message.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

TEST(HttpEnd, SaysWhatHappenedAndWhatToDoOfWhatThisSideEnds) {
  struct Row {
    HttpEnd end;
    std::string_view happened;
    std::string_view advice;
  };
  const Row rows[] = {
      {HttpEnd::kReset, "closed a kept connection", "try again"},
      {HttpEnd::kBadResponse, "headers", "check that the URL"},
      {HttpEnd::kTooLarge, "larger", "ask for less"},
      {HttpEnd::kStopped, "not needed", ""},
  };
  for (const Row& row : rows) {
    const std::string_view text = reason_to_refuse(row.end);
    EXPECT_NE(text.find(row.happened), std::string_view::npos) << text;
    EXPECT_NE(text.find(row.advice), std::string_view::npos) << text;
    EXPECT_EQ(text.find("callback"), std::string_view::npos) << text;
  }
  EXPECT_EQ(reason_to_refuse(HttpEnd::kConnect), "");
}

}  // namespace
}  // namespace filecall::worker
