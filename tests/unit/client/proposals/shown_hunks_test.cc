// SPDX-License-Identifier: MIT
#include "client/proposals/shown_hunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "client/core/digest.h"
#include "edit/text_diff.h"
#include "edit/unified_writer.h"

namespace filecall::client {
namespace {

/// A change as file.propose answers it.
Json change_of(const std::string& operation, const std::string& before, const std::string& after) {
  const auto hunks = edit::diff_texts(before, after);
  edit::FilePatch patch;
  patch.path = "a.txt";
  Json change = {{"path", "a.txt"}, {"operation", operation}, {"conflict", false}};
  change["hunks"] = Json::array();
  for (const edit::DiffHunk& hunk : *hunks) {
    patch.hunks.push_back(hunk.hunk);
    change["hunks"].push_back({{"id", hunk.id},
                               {"header", edit::hunk_header(hunk.hunk)},
                               {"diff", edit::hunk_body(hunk.hunk)}});
  }
  change["unified_diff"] = patch.hunks.empty() ? "" : edit::print_unified_diff({&patch, 1});
  if (operation != "delete") change["new_content"] = after;
  if (operation != "create") change["base_sha256"] = digest_of(before).substr(7);
  return change;
}

std::string many_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

bool holds(const Json& change) { return check_shown_hunks(change, "f").has_value(); }

TEST(ShownHunks, FitWhatFileProposeAnswers) {
  std::string changed = many_lines(60);
  changed.replace(0, 6, "first");
  changed.replace(changed.find("line 40"), 7, "forty\nand more");
  for (const auto& [before, after] :
       {std::pair(many_lines(60), changed), std::pair(many_lines(3), many_lines(3)),
        std::pair(std::string("a\r\nb\r\n"), std::string("a\r\nc\r\n")),
        std::pair(std::string("no end"), std::string("no end\n")),
        std::pair(std::string("x\n"), std::string()),
        std::pair(std::string("+ sign\n- sign\n"), std::string("++ sign\n-- sign\n"))}) {
    EXPECT_TRUE(holds(change_of("update", before, after))) << before << "->" << after;
    EXPECT_TRUE(holds(change_of("create", "", after))) << after;
    EXPECT_TRUE(holds(change_of("delete", before, ""))) << before;
  }
}

TEST(ShownHunks, AreRefusedWhenOneSideWasAltered) {
  const Json good = change_of("update", many_lines(9), "first\n" + many_lines(9));
  Json other = good;
  other["new_content"] = "harmful\n" + many_lines(9);
  EXPECT_FALSE(holds(other));
  other = good;
  other["hunks"][0]["diff"] = "+harmless\n line 1\n line 2\n line 3\n";
  EXPECT_FALSE(holds(other));
  other = good;
  other["unified_diff"] = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n+harmless\n line 1\n";
  EXPECT_FALSE(holds(other));
  // What is shown as removed is what is there.
  other = change_of("update", many_lines(9), many_lines(8));
  const std::string diff = other["hunks"][0]["diff"];
  other["hunks"][0]["diff"] = diff.substr(0, diff.find("-line 9")) + "-line 7\n";
  EXPECT_FALSE(holds(other));
  other = change_of("delete", many_lines(3), "");
  other["hunks"][0]["diff"] = "-line 1\n-line 2\n-line 4\n";
  EXPECT_FALSE(holds(other));
}

TEST(ShownHunks, ShowNothingThatIsNoPartOfThem) {
  Json change = change_of("update", many_lines(9), "first\n" + many_lines(9));
  change["hunks"][0]["diff"] = change["hunks"][0]["diff"].get<std::string>() +
                               "--- a/other\n+++ b/other\n@@ -1 +1 @@\n-x\n+y\n";
  EXPECT_FALSE(holds(change));
  change = change_of("update", many_lines(9), "first\n" + many_lines(9));
  change["hunks"] = Json::array();
  EXPECT_FALSE(holds(change)) << "a change is hidden";
  change.erase("hunks");
  EXPECT_TRUE(holds(change)) << "it shows nothing, and says so";
}

}  // namespace
}  // namespace filecall::client
