// SPDX-License-Identifier: MIT
#include "client/proposals/combined_undo.h"

#include <gtest/gtest.h>

#include <string>

#include "client/core/digest.h"

namespace filecall::client {
namespace {

Json led(const std::string& path, const std::string& from, const std::string& to) {
  return {{"path", path},
          {"operation", "update"},
          {"base_sha256", digest_of(from).substr(7)},
          {"new_content", to}};
}

MadePart part(const std::string& id, Json undo) { return {id, {std::move(undo), "digest"}, {}}; }

TEST(CombinedUndo, OfOnePartIsItsUndo) {
  const auto undo = combined_undo({part("r1", Json::array({led("f", "1", "0")}))});
  ASSERT_TRUE(undo);
  EXPECT_EQ(undo->digest, "digest");
}

TEST(CombinedUndo, LeadsAFileOfSeveralPartsFromTheLastToTheFirst) {
  const auto undo = combined_undo({part("r1", Json::array({led("f", "1", "0")})),
                                   part("r2", Json::array({led("g", "a", "b")})),
                                   part("r3", Json::array({led("f", "2", "1")}))});
  ASSERT_TRUE(undo);
  EXPECT_EQ(undo->changes, Json::array({led("f", "2", "0"), led("g", "a", "b")}));
  EXPECT_TRUE(undo->digest.empty()) << "it is another set than any that was answered";
}

TEST(CombinedUndo, NamesAFileThatSomebodyChangedBetweenTwoParts) {
  const auto undo = combined_undo({part("r1", Json::array({led("f", "1", "0")})),
                                   part("r2", Json::array({led("f", "2", "other")}))});
  ASSERT_FALSE(undo);
  EXPECT_EQ(undo.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(undo.error().message.find("f: "), std::string::npos);
}

}  // namespace
}  // namespace filecall::client
