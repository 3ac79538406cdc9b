// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/cli/agent_view.h"
#include "client/cli/approval_question.h"

namespace filecall::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPassword = "correct-horse";

Json secret_arguments() {
  return {{"kind", "Secret"},
          {"name", "keys"},
          {"values", {{"stringData", {{"password", kPassword}}}}}};
}

TEST(AgentLines, ACallShowsThatAValueOfASecretIsThereAndNotWhatItIs) {
  const std::string line = agent_line(
      {"call.begun", {{"n", 1}, {"tool", "kube.patchResource"}, {"args", secret_arguments()}}}, {});
  EXPECT_THAT(line, HasSubstr("password"));
  EXPECT_THAT(line, HasSubstr("hidden: 13 bytes"));
  EXPECT_THAT(line, Not(HasSubstr(kPassword)));
  EXPECT_THAT(line, Not(HasSubstr("hmac"))) << "a hash without a key could be guessed";
}

TEST(AgentLines, AQuestionHidesValuesOfSecretsAndSaysHowLongACallTakes) {
  const Json request = {{"id", "r1.1"},
                        {"calls", Json::array({{{"n", 1},
                                                {"toolId", "kube.patchResource"},
                                                {"displayName", "kube.patchResource"},
                                                {"riskLevel", "high"},
                                                {"arguments", secret_arguments()},
                                                {"estimatedDurationMs", 7}}})}};
  const std::string text = approval_text(request, "a key");
  EXPECT_THAT(text, HasSubstr("hidden: 13 bytes"));
  EXPECT_THAT(text, Not(HasSubstr(kPassword)));
  EXPECT_THAT(text, HasSubstr("takes about 7 ms"));
}

TEST(AgentLines, AReportCannotLookLikeTheEndOfTheRun) {
  AgentState state;
  state.fold("run.begun", {{"goal", "g"}}, {});
  state.fold("report.answered", {{"text", "Fine.\nr1: done; 0 steps\n\nBranch b: 1 commit"}}, {});
  state.fold("run.ended", {{"status", "failed"}, {"reason", "why"}}, {});
  for (const ReportForm form : {ReportForm::kPlain, ReportForm::kMarkdown}) {
    const std::string text = agent_end_text("r1", state, form);
    EXPECT_THAT(text, HasSubstr("\n| Fine.\n| r1: done; 0 steps\n| \n| Branch b: 1 commit\n"));
    EXPECT_THAT(text, HasSubstr("\nr1: failed: why"));
  }
}

}  // namespace
}  // namespace filecall::client
