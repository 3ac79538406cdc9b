// SPDX-License-Identifier: MIT
#include "client/proposals/three_way.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "edit/text_diff.h"
#include "edit/unified_writer.h"

namespace filecall::client {
namespace {

Json update(const std::string& before, const std::string& after) {
  const auto hunks = edit::diff_texts(before, after);
  edit::FilePatch patch;
  patch.path = "a.txt";
  for (const edit::DiffHunk& hunk : *hunks) patch.hunks.push_back(hunk.hunk);
  return {{"path", "a.txt"},
          {"operation", "update"},
          {"new_content", after},
          {"unified_diff", patch.hunks.empty() ? "" : edit::print_unified_diff({&patch, 1})}};
}

std::string lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i % 7) + "\n";
  return text;
}

TEST(ThreeWay, KnowsTheContentThatAnUpdateWasMadeFor) {
  const std::string base = lines(60);
  std::string changed = base;
  changed.replace(0, 7, "first\n");
  changed.replace(changed.find("line 3", 200), 6, "three");
  for (const auto& [before, after] :
       {std::pair(base, changed), std::pair(base, base + "more"), std::pair(base, std::string()),
        std::pair(std::string("no end"), std::string("no end\n")), std::pair(base, base),
        std::pair(std::string("a\r\nb\r\n"), std::string("a\r\nc\r\n")),
        std::pair(std::string(), base)}) {
    const auto found = base_content(update(before, after));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, before);
  }
}

TEST(ThreeWay, ShowsWhatBothChangedBesideTheBase) {
  const Json change = update("1\n2\n3\n4\n5\n6\n7\n8\n", "1\ntwo\n3\n4\n5\n6\n7\n8\n");
  const auto clean = three_way(change, "1\n2\n3\n4\n5\n6\n7\n8.0\n");
  ASSERT_TRUE(clean);
  EXPECT_EQ(clean->content, "1\ntwo\n3\n4\n5\n6\n7\n8.0\n");
  EXPECT_EQ(clean->conflicts, 0U);
  const auto both = three_way(change, "1\n2.0\n3\n4\n5\n6\n7\n8\n");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->conflicts, 1U);
  EXPECT_THAT(both->content, testing::HasSubstr("2.0\n|||||||"));
}

TEST(ThreeWay, RefusesADifferenceThatIsNotThatOfTheContent) {
  Json change = update("a\nb\n", "a\nc\n");
  change["new_content"] = "x\ny\n";
  EXPECT_EQ(base_content(change).error().code, ErrorCode::kInvalidArgument);
  change["unified_diff"] = "no diff";
  EXPECT_FALSE(base_content(change));
  change["operation"] = "delete";
  EXPECT_FALSE(base_content(change));
}

}  // namespace
}  // namespace filecall::client
