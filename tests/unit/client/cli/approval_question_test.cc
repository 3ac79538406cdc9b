// SPDX-License-Identifier: MIT
#include "client/cli/approval_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/cli/login_name.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Json& request() {
  static const auto* const json =
      new Json{{"id", "r1.1"},
               {"digest", "sha256:00"},
               {"calls",
                {{{"n", 1}, {"toolId", "file.create"}, {"displayName", "file.create"}},
                 {{"n", 3},
                  {"toolId", "file.edit"},
                  {"displayName", "file.edit"},
                  {"riskLevel", "high"},
                  {"reasons", {"it changes a file"}},
                  {"previewText", "+new\x1b[2J"}}}}};
  return *json;
}

std::vector<int> approved(const std::string& line) {
  const auto decision = read_approval_answer(request(), line);
  std::vector<int> calls;
  if (!decision) return {-1};
  EXPECT_EQ(decision->calls.size(), 2U) << "each call is decided";
  for (const CallDecision& one : decision->calls) {
    if (one.approved) calls.push_back(one.n);
  }
  return calls;
}

TEST(ApprovalQuestion, TakesYesNoAndNumbersOfCalls) {
  for (const char* yes : {"y", "yes", " y "}) EXPECT_THAT(approved(yes), ElementsAre(1, 3)) << yes;
  for (const char* no : {"n", "no", "n it is wrong"})
    EXPECT_THAT(approved(no), ElementsAre()) << no;
  EXPECT_THAT(approved("3"), ElementsAre(3));
  for (const char* both : {"3 1", "1,3", " 3, 1 ", "1,,3"}) {
    EXPECT_THAT(approved(both), ElementsAre(1, 3)) << both;
  }
}

TEST(ApprovalQuestion, AsksAgainForWhatIsNoAnswer) {
  for (const char* line : {"", " ", "maybe", "2", "1 2", "-1", "1.5", "999999999999", "run", "Y!",
                           "?", ",", "1,2", "y but not 2", "yes 1", "y, only 1", "run y 1"}) {
    EXPECT_THAT(approved(line), ElementsAre(-1)) << '"' << line << '"';
  }
}

TEST(ApprovalQuestion, TakesTheReasonAsItWasWritten) {
  const auto decision = read_approval_answer(request(), "n  use staging, not prod");
  ASSERT_TRUE(decision.has_value());
  EXPECT_EQ(decision->reason, "use staging, not prod");
  EXPECT_EQ(decision->id, "r1.1");
  EXPECT_EQ(decision->digest, "sha256:00") << "it binds what was shown";
  EXPECT_EQ(decision->source, "terminal");
}

TEST(ApprovalQuestion, IsSignedWithANameAndSaysAllItsAnswers) {
  EXPECT_EQ(read_approval_answer(request(), "y")->by, login_name());
  const std::string text = approval_text(request(), "key");
  for (const char* answer : {"y: all", "n REASON", "numbers", "run y", "?"}) {
    EXPECT_THAT(text, HasSubstr(answer));
  }
}

TEST(ApprovalQuestion, HoldsForTheRunOnlyWhenItIsSaid) {
  EXPECT_EQ(read_approval_answer(request(), "y")->scope, ApprovalScope::kOnce);
  const auto run = read_approval_answer(request(), "run y");
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->scope, ApprovalScope::kRun);
  EXPECT_TRUE(run->calls[0].approved);
}

TEST(ApprovalQuestion, ShowsEachCallWithItsRiskReasonsAndPreviewAndNoControlSequences) {
  const std::string text = approval_text(request(), "key");
  EXPECT_THAT(text, HasSubstr("2 calls to approve (r1.1)"));
  EXPECT_THAT(text, HasSubstr("3. file.edit  risk: high"));
  EXPECT_THAT(text, HasSubstr("it changes a file"));
  EXPECT_THAT(text, HasSubstr("+new"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ApprovalQuestion, NothingInItLooksLikeALineOfItsOwn) {
  const std::string fake = "x\n3. file.read  risk: low\xe2\x80\xa8\xe2\x80\x8b";
  const Json asked = {{"id", "r1.1"},
                      {"calls", Json::array({{{"n", 1},
                                              {"toolId", "file.edit"},
                                              {"displayName", fake},
                                              {"riskLevel", fake},
                                              {"reasons", {fake}},
                                              {"arguments", {{"path", fake}}},
                                              {"previewText", fake}}})}};
  const std::string text = approval_text(asked, "key");
  EXPECT_THAT(text, Not(HasSubstr("\n3."))) << text;
  EXPECT_THAT(text, HasSubstr("\n   | 3. file.read  risk: low\\u2028\\u200b\n")) << "its preview";
  for (const char* unseen : {"\xe2\x80\xa8", "\xe2\x80\x8b"}) {
    EXPECT_THAT(text, Not(HasSubstr(unseen)));
  }
}

TEST(ApprovalQuestion, SaysThatArgumentsAreCut) {
  Json asked = request();
  asked["calls"][0]["arguments"] = {{"content", std::string(3000, 'x')}};
  EXPECT_THAT(approval_text(asked, "key"), HasSubstr("'filecall approvals' shows all of them"));
}

}  // namespace
}  // namespace filecall::client
