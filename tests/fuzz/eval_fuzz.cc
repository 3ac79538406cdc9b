// SPDX-License-Identifier: MIT
// What an evaluation reads: any text is a specification or a list of mistakes with places; any text
// of a model is compared, counted and read as a verdict within bounds.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "client/eval/evaluation.h"
#include "client/eval/grader.h"
#include "client/eval/judge_verdict.h"
#include "client/eval/numbers.h"
#include "client/eval/similarity.h"
#include "client/eval/spec.h"
#include "client/eval/subject.h"

namespace {

using namespace filecall::client;

void check_spec(const std::string& text) {
  const auto spec = read_eval_spec(text, "spec.yaml", [](const std::string& path) {
    return filecall::Result<std::string>(path);
  });
  if (!spec) {
    CHECK(spec.error().message.find("spec.yaml") != std::string::npos, "a mistake has a place");
    return;
  }
  Subject subject;
  subject.data = {{"text", text}};
  for (const auto& grader : spec->graders) {
    // Judges and programs that say what the bytes say, or nothing.
    std::vector<Reply> replies;
    for (const Question& question : grader->questions(subject)) {
      Reply reply;
      if (replies.size() % 3 == 2) {
        reply.problem = "given up";
      } else {
        reply.response.emplace();
        reply.response->request_id = question.request_id;
        reply.response->data = {{"text", text}, {"stdout", text}, {"exit_code", text.size() % 2}};
      }
      replies.push_back(std::move(reply));
    }
    const Grade grade = grader->grade(subject, replies);
    CHECK(grade.score.has_value() == grade.passed.has_value(), "no score, no verdict");
    CHECK(!grade.score || (*grade.score >= 0 && *grade.score <= 1), "a score is a share");
  }
}

void check_text(const std::string& text) {
  for (const JudgeScale& scale : {JudgeScale{}, JudgeScale{.min = 1, .max = 5}}) {
    const JudgeVerdict verdict = read_verdict_text(text, scale);
    CHECK(!verdict.score || (*verdict.score >= 0 && *verdict.score <= 1), "a score is a share");
  }
  for (const double number : numbers_in(text)) CHECK(std::isfinite(number), "a number is finite");
  const double same = token_f1(text, text);
  CHECK(same == 1, "a text has the words that it has");
  CHECK(edit_similarity(text, text).value_or(1) == 1, "a text is like itself");
}

void check_record(const std::string& text) {
  const auto record = parse_evaluation_record(text, "r1");
  if (!record) return;
  const std::string printed = render_evaluation_record(*record);
  const auto again = parse_evaluation_record(printed, "r1");
  CHECK(again && render_evaluation_record(*again) == printed, "what is printed can be read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_spec(text);
  check_text(text);
  check_record(text);
  return 0;
}
