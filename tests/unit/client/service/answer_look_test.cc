// SPDX-License-Identifier: MIT
#include "client/service/answer_look.h"

#include <gtest/gtest.h>

#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

TEST(KindByForm, TellsWhatOurWorkerWrote) {
  Response response;
  response.request_id = "a\"b";
  response.data = Json{{"n", 1}};
  std::string text = render_response(response);
  EXPECT_EQ(kind_by_form(text, text, "a\"b"), AnswerKind::kSuccess);
  response.failure = Failure::of({ErrorCode::kUnavailable, "no"});
  text = render_response(response);
  EXPECT_EQ(kind_by_form(text, text, "a\"b"), AnswerKind::kError);
}

TEST(KindByForm, LeavesAllElseToTheParser) {
  const std::string id = R"({"request_id":"a",)";
  const std::string whole = id + R"("status":"success","data":{})" + "}\n";
  ASSERT_EQ(kind_by_form(whole, whole, "a"), AnswerKind::kSuccess);
  const std::string cut = whole.substr(0, whole.size() - 2);
  EXPECT_EQ(kind_by_form(cut, cut, "a"), AnswerKind::kNone) << "cut off";
  EXPECT_EQ(kind_by_form(whole, whole, "b"), AnswerKind::kNone) << "another request's answer";
  for (const std::string& text :
       {id + R"("status":"success"})" + "\n", id + R"("status":"error","code":1})" + "\n",
        id + R"("status":"done","data":{}})" + "\n", std::string("{}\n"), std::string()}) {
    EXPECT_EQ(kind_by_form(text, text, "a"), AnswerKind::kNone) << text;
  }
}

class LookAtAnswer : public ::testing::Test {
 protected:
  AnswerKind kind_of(const std::string& text) {
    root_.write("responses/a.json", text);
    return look("a");
  }
  AnswerKind look(const std::string& id) {
    auto root = spool::Root::open(root_.path(), {});
    EXPECT_TRUE(root);
    return look_at_answer(*root->directories(), id).kind;
  }
  TemporaryRoot root_;
};

TEST_F(LookAtAnswer, ReadsWhatAnyWorkerWrites) {
  EXPECT_EQ(look("a"), AnswerKind::kNone);
  EXPECT_EQ(kind_of(success_text("a")), AnswerKind::kSuccess);
  EXPECT_EQ(kind_of(error_text("a", "")), AnswerKind::kError);
  EXPECT_EQ(kind_of(R"({ "data": {}, "status": "success", "request_id": "a" })"),
            AnswerKind::kSuccess);
  EXPECT_EQ(kind_of(R"({"request_id":"a","status":"error","error_code":"x","error_message":"y"})"),
            AnswerKind::kError);
  EXPECT_EQ(kind_of("{"), AnswerKind::kNone);
  EXPECT_EQ(kind_of(success_text("b")), AnswerKind::kNone);
}

TEST_F(LookAtAnswer, ReadsLargeAnswersByTheirEnds) {
  const std::string data(100'000, 'x');
  const std::string begin = R"({"request_id":"a","status":"success","data":{"t":")";
  EXPECT_EQ(kind_of(begin + data + "\"}}\n"), AnswerKind::kSuccess);
  EXPECT_EQ(kind_of(begin + data), AnswerKind::kNone) << "half of it";
}

}  // namespace
}  // namespace filecall::client
