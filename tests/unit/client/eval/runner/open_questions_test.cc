// SPDX-License-Identifier: MIT
#include "client/eval/runner/open_questions.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ipc/response.h"

namespace filecall::client {
namespace {

using Waiter = OpenQuestions::Waiter;

class OpenQuestionsTest : public testing::Test {
 protected:
  static Question question(const std::string& id) { return {id, "llm.chat", "{}"}; }
  static RequestOutcome ended(const std::string& id, const std::string& text) {
    RequestOutcome outcome;
    outcome.request_id = id;
    outcome.state = RequestState::kSuccess;
    Response response;
    response.data = {{"text", text}};
    outcome.response = std::make_shared<const Response>(std::move(response));
    return outcome;
  }
  static RequestOutcome gave_up(const std::string& id) {
    RequestOutcome outcome;
    outcome.request_id = id;
    outcome.state = RequestState::kGaveUp;
    outcome.error_message = "refused the key";
    return outcome;
  }
  std::vector<std::string> taken() {
    std::vector<std::string> ids;
    while (const auto submission = questions_.take()) ids.push_back(submission->request_id);
    return ids;
  }
  std::vector<std::size_t> ready_by(const RequestOutcome& outcome) {
    std::vector<std::size_t> subjects;
    for (const auto& waiter : questions_.on_outcome(outcome)) {
      subjects.push_back(waiter->subject());
    }
    return subjects;
  }

  spool::Layout layout_{"/tmp/filecall-there-is-no-such-root"};
  OpenQuestions questions_{layout_};
};

using Subjects = std::vector<std::size_t>;
using Ids = std::vector<std::string>;

TEST_F(OpenQuestionsTest, AskOnceWhatSeveralWaitFor) {
  const auto one = std::make_shared<Waiter>(1);
  const auto two = std::make_shared<Waiter>(2);
  questions_.ask(one, {question("a"), question("b"), question("a")});
  questions_.ask(two, {question("b")});
  EXPECT_EQ(taken(), (Ids{"a", "b"}));
  EXPECT_EQ(ready_by(ended("b", "yes")), Subjects{2});
  EXPECT_EQ(ready_by(ended("a", "no")), Subjects{1})
      << "it asked twice for the same, and waits once";
  EXPECT_EQ(questions_.reply(*one, question("b")).response->data["text"], "yes");
  EXPECT_EQ(questions_.reply(*one, question("a")).response->data["text"], "no");
}

TEST_F(OpenQuestionsTest, NameThoseThatAreReadyInTheOrderInWhichTheyAsked) {
  for (const std::size_t subject : {3U, 1U, 2U}) {
    questions_.ask(std::make_shared<Waiter>(subject), {question("a")});
  }
  EXPECT_EQ(ready_by(ended("a", "yes")), (Subjects{3, 1, 2}));
  EXPECT_EQ(ready_by(ended("a", "yes")), Subjects{}) << "nobody waits any more";
}

TEST_F(OpenQuestionsTest, TakeNoNoticeOfRequestsOfOthers) {
  questions_.ask(std::make_shared<Waiter>(1), {question("a")});
  EXPECT_EQ(ready_by(ended("somebody's", "yes")), Subjects{});
}

TEST_F(OpenQuestionsTest, SayOfAQuestionThatWasGivenUpWhyAndThatARetryMayAnswerIt) {
  const auto one = std::make_shared<Waiter>(1);
  questions_.ask(one, {question("a")});
  EXPECT_EQ(ready_by(gave_up("a")), Subjects{1});
  const Reply reply = questions_.reply(*one, question("a"));
  EXPECT_FALSE(reply.response);
  EXPECT_TRUE(reply.is_given_up);
  EXPECT_EQ(reply.problem, "refused the key");
}

TEST_F(OpenQuestionsTest, LetAWaiterAskInASecondRoundAndKeepWhatItHeard) {
  const auto one = std::make_shared<Waiter>(1);
  questions_.ask(one, {question("a")});
  ready_by(ended("a", "hm"));
  questions_.ask(one, {question("a2")});
  EXPECT_EQ(taken(), (Ids{"a", "a2"}));
  EXPECT_EQ(ready_by(ended("a2", "yes")), Subjects{1});
  EXPECT_EQ(questions_.reply(*one, question("a")).response->data["text"], "hm");
  EXPECT_EQ(questions_.reply(*one, question("a2")).response->data["text"], "yes");
}

TEST_F(OpenQuestionsTest, AskAgainWhatEndedBeforeSomebodyElseNeededIt) {
  questions_.ask(std::make_shared<Waiter>(1), {question("a")});
  ready_by(ended("a", "yes"));
  questions_.ask(std::make_shared<Waiter>(2), {question("a")});
  EXPECT_EQ(taken(), (Ids{"a", "a"})) << "the engine knows its answer";
}

TEST_F(OpenQuestionsTest, SayThatAResponseWasRemovedWhichNobodyReadInThisRun) {
  const auto one = std::make_shared<Waiter>(1);
  questions_.ask(one, {question("a")});
  RequestOutcome outcome = ended("a", "yes");
  outcome.response = nullptr;
  EXPECT_EQ(ready_by(outcome), Subjects{1});
  const Reply reply = questions_.reply(*one, question("a"));
  EXPECT_FALSE(reply.response);
  EXPECT_FALSE(reply.is_given_up);
  EXPECT_EQ(reply.problem, "its response was removed");
}

}  // namespace
}  // namespace filecall::client
