// SPDX-License-Identifier: MIT
#include "client/eval/subject.h"

#include <gtest/gtest.h>

#include "tests/unit/client/eval/subjects.h"

namespace filecall::client {
namespace {

TEST(JsonPointer, FindsOrNotAndNeverThrows) {
  const Json root = Json::parse(R"({"a": [1, {"b/c": 2, "~": 3}], "": {"x": 4}})");
  const struct {
    const char* pointer;
    const char* found;  ///< nullptr: nothing.
  } kCases[] = {
      {"", nullptr},
      {"/a/0", "1"},
      {"/a/1/b~1c", "2"},
      {"/a/1/~0", "3"},
      {"//x", "4"},
      {"/a/2", nullptr},
      {"/a/-", nullptr},
      {"/a/01", nullptr},
      {"/a/-1", nullptr},
      {"/a/99999999999999999999999", nullptr},
      {"/a/0/deeper", nullptr},
      {"/b", nullptr},
      {"a", nullptr},
      {"/~2", nullptr},
      {"/~", nullptr},
  };
  EXPECT_EQ(find_at(root, ""), &root);
  for (const auto& row : kCases) {
    if (*row.pointer == '\0') continue;
    const Json* found = find_at(root, row.pointer);
    EXPECT_EQ(found != nullptr, row.found != nullptr) << row.pointer;
    if (found != nullptr && row.found != nullptr) {
      EXPECT_EQ(found->dump(), row.found) << row.pointer;
    }
  }
}

TEST(Answer, IsWhatPeopleCallIt) {
  Subject subject = subject_saying("Paris");
  EXPECT_EQ(answer_text(subject, ""), "Paris");
  EXPECT_EQ(answer_text(subject, "/model"), "m1-2026");
  EXPECT_EQ(answer_text(subject, "/no"), std::nullopt);
  subject.data = {{"exit_code", 0}, {"stdout", "out"}};
  EXPECT_EQ(answer_text(subject, ""), "out");
  EXPECT_EQ(answer_text(subject, "/exit_code"), "0");
  subject.data = {{"x", 1}};
  EXPECT_EQ(answer_text(subject, ""), R"({"x":1})");
  subject.data = "plain";
  EXPECT_EQ(answer_text(subject, ""), "plain");
}

TEST(AnswerJson, IsParsedOnceAndWithoutItsFence) {
  Subject subject = subject_saying("```json\n{\"n\": 3}\n```\n");
  EXPECT_EQ(answer_json(subject, ""), Json({{"n", 3}}));
  subject.data["text"] = "{\"n\": 4}";
  EXPECT_EQ(answer_json(subject, ""), Json({{"n", 4}}));
  subject.data["parsed"] = {{"n", 5}};
  EXPECT_EQ(answer_json(subject, ""), Json({{"n", 5}}));
  EXPECT_EQ(answer_json(subject, "/text"), Json({{"n", 4}}));
  for (const char* text : {"", "n", "{\"n\": 3} and more", "{\"a\":1,\"a\":2}", "```",
                           "```json\n```", "``````", "```\n", "{\"n\":"}) {
    EXPECT_EQ(answer_json(subject_saying(text), ""), std::nullopt) << text;
  }
  EXPECT_EQ(answer_json(subject_saying(std::string(100'000, '[')), ""), std::nullopt);
}

TEST(ResponseOutcome, ComesFromTheFinishReason) {
  const auto outcome = [](Json data) {
    Response response;
    response.data = std::move(data);
    return outcome_of_response(response);
  };
  EXPECT_EQ(outcome({{"finish_reason", "stop"}}), EvaluationOutcome::kGraded);
  EXPECT_EQ(outcome({{"finish_reason", "tool_calls"}}), EvaluationOutcome::kGraded);
  EXPECT_EQ(outcome({{"finish_reason", "refusal"}}), EvaluationOutcome::kRefusal);
  EXPECT_EQ(outcome({{"finish_reason", "content_filter"}}), EvaluationOutcome::kRefusal);
  EXPECT_EQ(outcome({{"finish_reason", "length"}}), EvaluationOutcome::kTruncated);
  EXPECT_EQ(outcome({{"finish_reason", 7}}), EvaluationOutcome::kGraded);
  EXPECT_EQ(outcome("length"), EvaluationOutcome::kGraded);
  Response failed;
  failed.failure = Failure{};
  EXPECT_EQ(outcome_of_response(failed), EvaluationOutcome::kError);
}

TEST(Origin, ComesFromMetadataElseFromRequestAndAnswer) {
  Subject subject = subject_saying("x");
  Evaluation evaluation;
  subject.request.metadata = {{"item", 7}, {"repeat", 3}, {"prompt", "short"}, {"model", "meta"}};
  describe_origin(subject.request, subject.data, evaluation);
  EXPECT_EQ(evaluation.item, "7");
  EXPECT_EQ(evaluation.repeat, 3);
  EXPECT_EQ(evaluation.prompt, "short");
  EXPECT_EQ(evaluation.model, "meta");
  subject.request.metadata = Json();
  describe_origin(subject.request, subject.data, evaluation);
  EXPECT_EQ(evaluation.item, "r1");
  EXPECT_EQ(evaluation.repeat, 1);
  EXPECT_EQ(evaluation.model, "m1");
  subject.request.params.erase("model");
  subject.request.metadata = {{"repeat", -4}, {"item", ""}};
  describe_origin(subject.request, subject.data, evaluation);
  EXPECT_EQ(evaluation.model, "m1-2026");
  EXPECT_EQ(evaluation.repeat, 1);
  EXPECT_EQ(evaluation.item, "r1");
}

TEST(TaskText, IsWhatTheModelWasAsked) {
  Request request;
  request.params = {{"prompt", "Why?"}};
  EXPECT_EQ(task_text(request), "Why?");
  request.params = {{"prompt", "Why?"}, {"system", "Be short."}};
  EXPECT_EQ(task_text(request), "system: Be short.\n\nuser: Why?");
  request.params = Json::parse(R"({"messages": [
    {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url"}]},
    {"role": "assistant", "content": null}, {"role": "user", "content": "And?"}]})");
  EXPECT_EQ(task_text(request), "user: See\n[image_url]\n\nassistant: \n\nuser: And?");
  request.params = {{"argv", {"ls"}}};
  EXPECT_EQ(task_text(request), R"({"argv":["ls"]})");
}

}  // namespace
}  // namespace filecall::client
