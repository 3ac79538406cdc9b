// SPDX-License-Identifier: MIT
#include "client/proposals/proposal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/proposals/change_view.h"

namespace filecall::client {
namespace {

Json hunk(const char* id, const char* diff, const char* header = "@@ -1 +1 @@") {
  return {{"id", id}, {"header", header}, {"diff", diff}};
}

Proposal proposal() {
  const Json changes =
      Json::array({{{"path", "a,b.txt"},
                    {"operation", "update"},
                    {"new_content", "y\n"},
                    {"hunks", {hunk("1", "-x\n+y\n")}}},
                   {{"path", "c:d.txt"},
                    {"operation", "update"},
                    {"new_content", "y\nm\nq\n"},
                    {"hunks", {hunk("1", "-x\n+y\n"), hunk("2", "-p\n+q\n", "@@ -3 +3 @@")}}}});
  return *proposal_of({{"changes", changes}}, "here");
}

TEST(Proposal, IsReadOfWhatFileProposeAnswersAndOfItsResponse) {
  const std::string data =
      R"({"changes": [{"path": "a", "operation": "create", "new_content": ""}], "warnings": []})";
  ASSERT_TRUE(read_proposal(data, "f"));
  const auto response =
      read_proposal(R"({"request_id": "p", "status": "success", "data": )" + data + "}", "f");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->key(), read_proposal(data, "f")->key());
  EXPECT_EQ(response->key().size(), 64U);
  for (const char* text : {"", "[]", "{}", R"({"changes": []})", R"({"status": "error"})",
                           R"({"changes": [{"path": "a"}]})"}) {
    const auto none = read_proposal(text, "f");
    ASSERT_FALSE(none) << text;
    EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(none.error().message.starts_with("f: ")) << none.error().message;
  }
}

TEST(Proposal, FindsWhatIsChosenThoughNamesHoldCommasAndColons) {
  const auto chosen = chosen_hunks(proposal(), {"a,b.txt", "2,c:d.txt:1", "c:d.txt"});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(
      *chosen,
      Json::array(
          {{{"path", "a,b.txt"}}, "2", {{"path", "c:d.txt"}, {"id", "1"}}, {{"path", "c:d.txt"}}}));
}

TEST(Proposal, RefusesAHunkOfSeveralFilesAndOneOfNone) {
  const auto several = chosen_hunks(proposal(), {"1"});
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(several.error().message.find("c:d.txt:1"), std::string::npos);
  EXPECT_EQ(chosen_hunks(proposal(), {"3"}).error().code, ErrorCode::kNotFound);
}

TEST(ChangeView, IsAUnifiedDiffThatNamesItsHunks) {
  const std::string text = change_text(proposal().changes[1], {});
  EXPECT_EQ(text,
            "update c:d.txt\ndiff --git a/c:d.txt b/c:d.txt\n--- a/c:d.txt\n+++ b/c:d.txt\n@@ -1 "
            "+1 @@ hunk 1\n-x\n+y\n"
            "@@ -3 +3 @@ hunk 2\n-p\n+q\n");
}

TEST(ChangeView, ShowsLinesBesideEachOther) {
  const Json change = {
      {"path", "a"}, {"operation", "update"}, {"hunks", {hunk("1", " same\n-old\n+new\n+more\n")}}};
  const std::string text = change_text(change, {false, true, 40});
  EXPECT_THAT(text, testing::HasSubstr("    1 same               1 same\n"));
  EXPECT_THAT(text, testing::HasSubstr("    2 old          |     2 new\n"));
  EXPECT_THAT(text, testing::HasSubstr(">     3 more\n"));
}

TEST(ChangeView, EndsANameWithABlankByATabAsPatchWantsIt) {
  const Json change = {
      {"path", "a b"}, {"operation", "update"}, {"hunks", {hunk("1", "-x\n+y\n")}}};
  EXPECT_THAT(change_text(change, {}), testing::HasSubstr("--- a/a b\t\n+++ b/a b\t\n"));
}

TEST(ChangeView, HasAnEmptyFileThatIsMade) {
  const Json change = {
      {"path", "e"}, {"operation", "create"}, {"new_content", ""}, {"hunks", Json::array()}};
  EXPECT_THAT(change_text(change, {}),
              testing::HasSubstr("diff --git a/e b/e\nnew file mode 100644\n"));
}

TEST(ChangeView, SaysWhereAPartDidNotStandAsItWasGiven) {
  const Json change = {
      {"path", "a"},
      {"operation", "update"},
      {"fit", {{{"grade", "exact"}, {"line", 1}}, {{"grade", "space"}, {"line", 9}}}},
      {"hunks", {hunk("1", "-x\n+y\n")}}};
  const std::string text = change_text(change, {});
  EXPECT_THAT(text,
              testing::HasSubstr("part 2 does not stand there as it was given: space, line 9"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("part 1")));
}

TEST(ChangeView, KeepsEachLineOfAHeaderInOne) {
  const Json change = {{"path", "a"},
                       {"operation", "update"},
                       {"hunks", {hunk("1\nx", "-x\n+y\n", "@@ -1 +1 @@ f()\n+invented")}}};
  EXPECT_THAT(change_text(change, {}), testing::Not(testing::HasSubstr("\n+invented")));
}

TEST(ChangeView, ShowsTheWholeOfALongLineBesideTheOther) {
  const std::string same(61, 'x');
  const std::string diff = "-" + same + "a\n+" + same + "b\n";
  const Json change = {
      {"path", "a"}, {"operation", "update"}, {"hunks", {hunk("1", diff.c_str())}}};
  const std::string text = change_text(change, {false, true, 80});
  EXPECT_THAT(text, testing::HasSubstr("xa "));
  EXPECT_THAT(text, testing::HasSubstr("xb\n"));
}

TEST(ChangeView, ShowsWhichSideHasAnotherLineEnd) {
  const Json change = {
      {"path", "a"},
      {"operation", "update"},
      {"hunks",
       {hunk("1", " same\r\n-old\r\n+old\n-last\n\\ No newline at end of file\n+last\n")}}};
  const std::string text = change_text(change, {false, true, 100});
  EXPECT_THAT(text, testing::HasSubstr("1 same "));
  EXPECT_THAT(text, testing::ContainsRegex("old\\^M +\\|     2 old\n"));
  EXPECT_THAT(text, testing::ContainsRegex("last \\(no newline at the end\\) +\\|     3 last\n"));
}

}  // namespace
}  // namespace filecall::client
