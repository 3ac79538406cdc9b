// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ToolCallTest : public testing::Test {
 protected:
  ToolCallTest() {
    config_.allow = {"git"};
    config_.roots = {"/srv"};
    DeclaredTool lint;
    lint.name = "lint";
    lint.argv = {"lint", "--level={level}", "{files...}"};
    lint.args_schema = Json::parse(R"({"type": "object", "required": ["files"],
      "properties": {"files": {"type": "array", "items": {"type": "string"}},
                     "level": {"type": "integer"}}, "additionalProperties": false})");
    lint.cwd = "checkout";
    lint.check = true;
    lint.effects = Effects::kNone;
    lint.concurrency_class = "slow";
    lint.timeout = seconds(5);
    lint.limits.files = 50;
    config_.tools = {lint};
  }

  Result<ToolCall, Failure> decide(Json params) {
    auto table = ToolTable::compile(config_.tools);
    EXPECT_TRUE(table.has_value());
    tables_.push_back(std::move(*table));
    request_.params = std::move(params);
    return decide_tool_call(config_, tables_.back(), request_);
  }
  ToolCall call(Json params) {
    auto decided = decide(std::move(params));
    EXPECT_TRUE(decided) << decided.error().message;
    return decided ? *std::move(decided) : ToolCall{};
  }
  Failure refusal(Json params) {
    auto decided = decide(std::move(params));
    EXPECT_FALSE(decided);
    return decided ? Failure{} : decided.error();
  }

  ToolConfig config_;
  Request request_;
  std::vector<ToolTable> tables_;
};

TEST_F(ToolCallTest, TakesAnAllowedProgram) {
  const ToolCall decided = call({{"argv", {"git", "log", "-1"}}, {"cwd", "a/b"}});
  EXPECT_THAT(decided.argv, ElementsAre("git", "log", "-1"));
  EXPECT_EQ(decided.declared, nullptr);
  EXPECT_EQ(decided.effects, Effects::kExternal);
  EXPECT_EQ(decided.destination, "tool");
  EXPECT_EQ(decided.workplace.below, "a/b");
  EXPECT_FALSE(decided.check);
  EXPECT_EQ(decided.timeout, seconds(600));
}

TEST_F(ToolCallTest, TakesADeclaredToolOnItsTerms) {
  const ToolCall decided =
      call({{"tool", "lint"}, {"args", {{"files", {"a", "b"}}, {"level", 3}}}});
  EXPECT_THAT(decided.argv, ElementsAre("lint", "--level=3", "a", "b"));
  EXPECT_EQ(decided.effects, Effects::kNone);
  EXPECT_EQ(decided.destination, "tool.slow");
  EXPECT_EQ(decided.workplace.below, "checkout");
  EXPECT_TRUE(decided.check);
  EXPECT_EQ(decided.timeout, seconds(5));
  EXPECT_EQ(decided.limits.files, 50);
  EXPECT_FALSE(call({{"tool", "lint"}, {"args", {{"files", {"a"}}}}, {"check", false}}).check);
}

TEST_F(ToolCallTest, TakesTheDefaultsOfTheSchema) {
  config_.tools[0].args_schema["properties"]["level"]["default"] = 3;
  config_.tools[0].args_schema["properties"]["files"]["default"] = Json::array({"all"});
  EXPECT_THAT(call({{"tool", "lint"}}).argv, ElementsAre("lint", "--level=3", "all"));
  EXPECT_THAT(call({{"tool", "lint"}, {"args", {{"level", 1}}}}).argv,
              ElementsAre("lint", "--level=1", "all"));
}

TEST_F(ToolCallTest, NeedsNoAllowanceForADeclaredTool) {
  config_.allow.clear();
  call({{"tool", "lint"}, {"args", {{"files", {"a"}}}}});
  EXPECT_EQ(refusal({{"argv", {"lint", "a"}}}).code, ErrorCode::kPermissionDenied);
}

TEST_F(ToolCallTest, NamesWhatIsWrongWithItsArguments) {
  const Failure wrong = refusal({{"tool", "lint"}, {"args", {{"files", {"a", 7}}}}});
  EXPECT_EQ(wrong.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(wrong.message, HasSubstr("/params/args/files/1"));
  EXPECT_EQ(refusal({{"tool", "lint"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refusal({{"tool", "lint"}, {"args", {{"files", {"--fix"}}}}}).message,
              HasSubstr("/params/args/files"));
  const Failure unknown = refusal({{"tool", "lind"}});
  EXPECT_EQ(unknown.code, ErrorCode::kNotFound);
  EXPECT_THAT(unknown.message, HasSubstr("did you mean lint?"));
  config_.tools.clear();
  EXPECT_THAT(refusal({{"tool", "lint"}}).message, HasSubstr("tools:"));
}

TEST_F(ToolCallTest, WantsEitherArgvOrTool) {
  EXPECT_EQ(refusal(Json::object()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal({{"argv", {"git"}}, {"tool", "lint"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal({{"argv", {"git"}}, {"args", Json::object()}}).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal({{"argv", {""}}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal({{"argv", {"git", std::string("\0", 1)}}}).code, ErrorCode::kInvalidArgument);
}

TEST_F(ToolCallTest, ReadsInputAsTextOrBase64) {
  EXPECT_EQ(call({{"argv", {"git"}}}).input, "");
  EXPECT_EQ(call({{"argv", {"git"}}, {"stdin", "ä"}}).input, "ä");
  EXPECT_EQ(call({{"argv", {"git"}}, {"stdin_base64", "AP8="}}).input, std::string("\0\xFF", 2));
  EXPECT_EQ(refusal({{"argv", {"git"}}, {"stdin_base64", "no"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal({{"argv", {"git"}}, {"stdin", ""}, {"stdin_base64", ""}}).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ToolCallTest, RefusesNamesAndPlacesThatAreNotAllowed) {
  EXPECT_EQ(refusal({{"argv", {"git"}}, {"env", {{"X", "1"}}}}).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(refusal({{"argv", {"git"}}, {"cwd", "/etc"}}).code, ErrorCode::kPermissionDenied);
}

TEST_F(ToolCallTest, ChoosesTheTimeOut) {
  config_.timeout_max = seconds(1000);
  EXPECT_EQ(call({{"argv", {"git"}}, {"timeout_ms", 700'000}}).timeout, seconds(700));
  EXPECT_EQ(call({{"argv", {"git"}}, {"timeout_ms", 5'000'000}}).timeout, seconds(1000));
  request_.timeout_ms = 800'000;
  EXPECT_EQ(call({{"argv", {"git"}}}).timeout, seconds(800));
  EXPECT_EQ(call({{"argv", {"git"}}, {"timeout_ms", 1}}).timeout, milliseconds(1));
}

TEST_F(ToolCallTest, KeepsAsMuchOutputAsIsAskedFor) {
  EXPECT_EQ(call({{"argv", {"git"}}}).output_bytes, config_.output_bytes);
  EXPECT_EQ(call({{"argv", {"git"}}, {"output_bytes_max", 10}}).output_bytes, 10u);
  EXPECT_EQ(call({{"argv", {"git"}}, {"output_bytes_max", 16'777'216}}).output_bytes, 16'777'216u);
}

TEST_F(ToolCallTest, RefusesTablesWithMistakes) {
  config_.tools.push_back(config_.tools.front());
  const auto twice = ToolTable::compile(config_.tools);
  ASSERT_FALSE(twice.has_value());
  EXPECT_THAT(twice.error().message, HasSubstr("lint"));
  config_.tools.pop_back();
  config_.tools.front().args_schema["type"] = 7;
  EXPECT_FALSE(ToolTable::compile(config_.tools).has_value());
}

}  // namespace
}  // namespace filecall::worker
