// SPDX-License-Identifier: MIT
#include "client/agent/script_of_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ThreadRecord asked(const std::string& type, const std::string& request) {
  ThreadRecord record;
  record.type = type;
  record.data = {{"request_id", request}};
  return record;
}

class ScriptOfRunTest : public testing::Test {
 protected:
  void answer(const std::string& id, Json data) { answers_[id].data = std::move(data); }
  void failure(const std::string& id, const std::string& message) {
    answers_[id].failure = Failure::of({ErrorCode::kUnavailable, message});
  }
  ScriptOfRun script(const std::vector<ThreadRecord>& records) const {
    return script_of_run("r1", records, [this](const std::string& id) {
      const auto found = answers_.find(id);
      return found == answers_.end() ? nullptr : std::make_shared<const Response>(found->second);
    });
  }
  std::map<std::string, Response> answers_;
};

TEST_F(ScriptOfRunTest, HasALineForEachQuestionToTheModelInOrder) {
  answer("r1.1.plan", {{"text", "{}"}, {"usage", {{"input_tokens", 3}, {"output_tokens", 4}}}});
  answer("r1.report", {{"text", "Done."}});
  const ScriptOfRun made = script({asked("plan.asked", "r1.1.plan"), asked("call.begun", "r1.1.1"),
                                   asked("report.asked", "r1.report")});
  ASSERT_EQ(made.lines.size(), 2U);
  EXPECT_EQ(made.lines[0]["when"]["request"], "\\.1\\.plan$") << "any run is answered alike";
  EXPECT_EQ(made.lines[0]["reply"]["usage"]["output_tokens"], 4);
  EXPECT_EQ(made.lines[1]["reply"]["text"], "Done.");
  EXPECT_TRUE(made.missing.empty());
}

TEST_F(ScriptOfRunTest, KeepsToolCalls) {
  answer("r1.1.plan", {{"text", ""},
                       {"tool_calls", {{{"id", "c1"}, {"name", "f"}, {"arguments", {{"a", 1}}}}}}});
  const ScriptOfRun made = script({asked("plan.asked", "r1.1.plan")});
  EXPECT_EQ(made.lines[0]["reply"]["tool_calls"][0]["arguments"]["a"], 1);
}

TEST_F(ScriptOfRunTest, LetsAModelThatFailedFailAgain) {
  failure("r1.1.plan", "no such model");
  const ScriptOfRun made = script({asked("plan.asked", "r1.1.plan")});
  EXPECT_EQ(made.lines[0]["error"]["message"], "no such model");
  EXPECT_FALSE(made.lines[0].contains("reply"));
}

TEST_F(ScriptOfRunTest, NamesAnswersThatAreGone) {
  const ScriptOfRun made = script({asked("plan.asked", "r1.1.plan")});
  EXPECT_TRUE(made.lines.empty());
  EXPECT_THAT(made.missing, ElementsAre("r1.1.plan"));
}

TEST_F(ScriptOfRunTest, HidesTokensWhereverTheyStand) {
  const std::string token = "ghp_" + std::string(36, 'a');
  answer("r1.1.plan",
         {{"text", "use " + token + "."},
          {"tool_calls", {{{"id", "c"}, {"name", "f"}, {"arguments", {{"header", token}}}}}}});
  failure("r1.2.plan", "refused: " + token);
  const ScriptOfRun made =
      script({asked("plan.asked", "r1.1.plan"), asked("plan.asked", "r1.2.plan")});
  const std::string all = dump_json(Json(made.lines));
  EXPECT_THAT(all, Not(HasSubstr(token)));
  EXPECT_EQ(made.lines[0]["reply"]["text"], "use [secret].");
}

TEST(WithoutTokens, LeavesWhatOnlyBeginsLikeOne) {
  EXPECT_EQ(without_tokens("ghp_short and sk- alone"), "ghp_short and sk- alone");
  EXPECT_EQ(without_tokens(""), "");
}

}  // namespace
}  // namespace filecall::client
