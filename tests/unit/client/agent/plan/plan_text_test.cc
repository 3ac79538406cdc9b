// SPDX-License-Identifier: MIT
#include "client/agent/plan/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

PlanRules rules() {
  PlanRules made;
  made.tools = {"file.list", "file.read",        "file.create",        "file.edit",
                "tool.run",  "kube.getResource", "kube.listResources", "todo.read"};
  return made;
}

const PlannedCall kRead = {"file.read", {{"files", {"src/a.ts"}}}};

TEST(JsonPlan, TakesBothSpellings) {
  const char* texts[] = {
      R"({"actions":[{"tool":"file.read","args":{"files":["src/a.ts"]}}],
          "commentary":"Look","done":false})",
      R"({"toolCalls":[{"tool":"file.read","args":{"files":["src/a.ts"]}}],
          "commentary":"Look","done":false})",
      R"({"actions":[{"tool":"readFiles","files":["src/a.ts"]}],
          "commentary":"Look","done":false})",
      R"({"actions":[{"tool":"FILE.READ","args":{"files":["src/a.ts"]}}],
          "commentary":"Look"})",
      R"({"actions":{"name":"file_read","arguments":"{\"files\":[\"src/a.ts\"]}"},
          "commentary":"Look","done":"false"})",
      R"({"tool_calls":[{"type":"function","function":{"name":"file_read",
          "arguments":{"files":["src/a.ts"]}}}],"commentary":"Look"})",
      R"({"actions":[],"toolCalls":[{"tool":"file.read","params":{"files":["src/a.ts"]}}],
          "commentary":"Look"})"};
  for (const char* text : texts) {
    const auto plan = read_json_plan(text, rules());
    ASSERT_TRUE(plan) << text << ": " << plan.error().message;
    EXPECT_EQ(plan->calls, std::vector<PlannedCall>{kRead}) << text;
    EXPECT_EQ(plan->commentary, "Look");
    EXPECT_FALSE(plan->done);
  }
}

TEST(JsonPlan, EndsWithASummary) {
  const auto plan = read_json_plan(
      R"({"finalSummary":"Refactored agent tools for clarity","done":true})", rules());
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->done);
  EXPECT_EQ(plan->summary, "Refactored agent tools for clarity");
  EXPECT_THAT(plan->notes, IsEmpty());
  EXPECT_TRUE(read_json_plan(R"({"done":true})", rules())->done);
  EXPECT_TRUE(read_json_plan(R"({"finalSummary":"x"})", rules())->done);
  // What is left to do is done before the end.
  const auto both = read_json_plan(
      R"({"actions":[{"tool":"todo.read"}],"done":true,"finalSummary":"x"})", rules());
  EXPECT_EQ(both->calls.size(), 1U);
  EXPECT_TRUE(both->done);
}

TEST(JsonPlan, CutsALongCommentaryBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "ä";
  const auto plan = read_json_plan(R"({"done":true,"commentary":")" + text + "\"}", rules());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->commentary, text.substr(0, 320));
  EXPECT_THAT(plan->notes, Contains(HasSubstr("160")));
}

TEST(JsonPlan, TakesLongTextsFromBlocks) {
  const auto plan = read_json_plan(R"(I write it.
{"actions":[{"tool":"file.create","args":{"path":"a.sh","content_from":"a.sh"}},
            {"tool":"file.edit","args":{"path":"b","edits":[{"old":"x","new_from":"part"}]}}]}
```a.sh
echo "{\"tool\": \"tool.run\"}"
```
```text part
y
```
)",
                                   rules());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->calls[0].args,
            Json({{"path", "a.sh"}, {"content", "echo \"{\\\"tool\\\": \\\"tool.run\\\"}\"\n"}}));
  EXPECT_EQ(plan->calls[1].args["edits"][0], Json({{"old", "x"}, {"new", "y\n"}}));
}

TEST(JsonPlan, RefusesABlockThatIsNotThereOrNotClear) {
  const std::string plan =
      R"({"actions":[{"tool":"file.create","args":{"path":"a","content_from":"x"}}]})";
  const struct {
    std::string text;
    const char* rule;
  } rows[] = {
      {plan, "no_block"},
      {plan + "\n```y\n1\n```\n", "no_block"},
      {plan + "\n```x\n1\n", "truncated"},
      {plan + "\n```x\n1\n```\n```x\n2\n```\n", "unclear_block"},
      {plan + "\n```x\n# A\n```sh\nls\n```\nend\n```\n", "unclear_block"},
      {R"({"actions":[{"tool":"file.create","args":{"content":"1","content_from":"x"}}]})"
       "\n```x\n1\n```\n",
       "wrong_shape"},
  };
  for (const auto& row : rows) {
    const auto read = read_json_plan(row.text, rules());
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().rule, row.rule) << row.text << ": " << read.error().message;
  }
}

TEST(JsonPlan, TakesCallsWithoutAPlanAroundThem) {
  const auto plan = read_json_plan(
      "{\"tool\":\"file.list\",\"glob\":\"*.cc\"}\n{\"tool\":\"todo.read\"}", rules());
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->calls.size(), 2U);
  EXPECT_EQ(plan->calls[0].args, Json({{"glob", "*.cc"}}));
  EXPECT_EQ(plan->calls[1].tool, "todo.read");
  // Not when another one may have been cut off or broken.
  EXPECT_FALSE(read_json_plan("{\"tool\":\"todo.read\"}\n{\"tool\":\"file.li", rules()));
  EXPECT_FALSE(read_json_plan("{\"tool\":\"todo.read\"}\n{\"tool\" \"file.list\"}", rules()));
}

TEST(JsonPlan, FindsTheToolThatIsMeant) {
  const struct {
    const char* name;
    const char* tool;
  } rows[] = {{"getResource", "kube.getResource"},
              {"kube_getResource", "kube.getResource"},
              {"KUBE.GETRESOURCE", "kube.getResource"},
              {"listFiles", "file.list"},
              {"createFile", "file.create"},
              {"LS", "file.list"}};
  for (const auto& row : rows) {
    const auto plan =
        read_json_plan(std::string(R"({"actions":[{"tool":")") + row.name + R"("}]})", rules());
    ASSERT_TRUE(plan) << row.name;
    EXPECT_EQ(plan->calls[0].tool, row.tool);
    // The name that providers take for it is no other one.
    if (std::string_view(row.name) == "kube_getResource") continue;
    EXPECT_THAT(plan->notes, Contains(HasSubstr(row.tool)));
  }
  const auto unknown = read_json_plan(R"({"actions":[{"tool":"file.rea"}]})", rules());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().rule, "unknown_tool");
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean file.read"));
}

TEST(JsonPlan, SaysWhatIsWrongWithItsShape) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {R"({"actions":"x"})", "'actions' is no list"},
      {R"({"actions":[1]})", "actions[0] is no object"},
      {R"({"actions":[{"args":{}}]})", "actions[0] has no text 'tool'"},
      {R"({"actions":[{"tool":"todo.read"},{"tool":"file.read","args":[]}]})",
       "actions[1].args is no object"},
      {R"({"actions":[{"tool":"todo.read"}],"toolCalls":[{"tool":"todo.read"}]})", "both"},
      {R"({"done":1})", "'done' is true or false"},
      {R"({"commentary":1,"done":true})", "'commentary' is no text"},
      {R"({"finalSummary":["x"],"done":true})", "'finalSummary' is no text"},
  };
  for (const auto& row : rows) {
    const auto plan = read_json_plan(row.text, rules());
    ASSERT_FALSE(plan) << row.text;
    EXPECT_EQ(plan.error().rule, "wrong_shape") << row.text;
    EXPECT_THAT(plan.error().message, HasSubstr(row.message)) << row.text;
    EXPECT_THAT(plan.error().message, HasSubstr("line 1, column 1")) << row.text;
  }
}

TEST(JsonPlan, BoundsCallsAndBytes) {
  PlanRules few = rules();
  few.calls_max = 1;
  EXPECT_EQ(read_json_plan(R"({"actions":[{"tool":"todo.read"},{"tool":"todo.read"}]})", few)
                .error()
                .rule,
            "too_many_calls");
  EXPECT_EQ(read_json_plan(R"({"tool":"todo.read"}{"tool":"todo.read"})", few).error().rule,
            "too_many_calls");
  few.text_bytes_max = 10;
  EXPECT_EQ(read_json_plan(R"({"done":true})", few).error().rule, "too_large");
}

TEST(JsonPlan, IsNoPlanWhereverItIsCutOff) {
  const std::string text =
      R"({"commentary":"Look","actions":[{"tool":"file.read","args":{"files":["a"]}},)"
      R"({"tool":"todo.read","args":{}}],"done":false})";
  ASSERT_TRUE(read_json_plan(text, rules()));
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    EXPECT_FALSE(read_json_plan(text.substr(0, cut), rules())) << text.substr(0, cut);
  }
}

TEST(ToolPlan, TakesNativeCalls) {
  const Json data = {{"text", "Look first"},
                     {"finish_reason", "tool_calls"},
                     {"tool_calls",
                      {{{"id", "1"}, {"name", "file_read"}, {"arguments", kRead.args}},
                       {{"id", "2"}, {"name", "todo.read"}, {"arguments", nullptr}}}}};
  const auto plan = read_tool_plan(data, rules());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->commentary, "Look first");
  ASSERT_EQ(plan->calls.size(), 2U);
  EXPECT_EQ(plan->calls[0], kRead);
  EXPECT_EQ(plan->calls[1].args, Json::object());
  EXPECT_FALSE(plan->done);
}

TEST(ToolPlan, IsDoneWithoutCalls) {
  const auto plan = read_tool_plan({{"text", "All done."}, {"finish_reason", "stop"}}, rules());
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->done);
  EXPECT_EQ(plan->summary, "All done.");
}

TEST(JsonPlan, SaysThatTheModelRefusedOrWasCutOff) {
  const auto fault = [](const Json& data) {
    const auto plan = read_json_answer(data, rules());
    return plan ? std::string("a plan") : plan.error().rule;
  };
  const std::string whole = R"({"commentary": "x", "done": true, "finalSummary": "y"})";
  EXPECT_EQ(fault({{"text", ""}, {"finish_reason", "refusal"}, {"refusal", "I cannot"}}),
            "refused");
  EXPECT_EQ(fault({{"text", whole}, {"finish_reason", "content_filter"}}), "refused");
  EXPECT_EQ(fault({{"text", "I begin"}, {"finish_reason", "length"}}), "truncated");
  EXPECT_EQ(fault({{"text", whole + " and so"}, {"finish_reason", "length"}}), "a plan");
  EXPECT_EQ(fault({{"text", "I begin"}, {"finish_reason", "stop"}}), "no_json");
  EXPECT_EQ(fault({{"text", whole}, {"finish_reason", "stop"}}), "a plan");
  EXPECT_EQ(fault("text"), "wrong_shape");
}

TEST(ToolPlan, SaysWhyAnAnswerIsNone) {
  const auto call = [](Json arguments) {
    return Json{{"text", ""},
                {"finish_reason", "tool_calls"},
                {"tool_calls", {{{"name", "file.read"}, {"arguments", std::move(arguments)}}}}};
  };
  const struct {
    Json data;
    const char* rule;
    const char* message;
  } rows[] = {
      {{{"text", " \n"}, {"finish_reason", "stop"}}, "empty_plan", "neither"},
      {{{"text", "half"}, {"finish_reason", "length"}}, "truncated", "cut off"},
      {{{"text", ""}, {"finish_reason", "refusal"}, {"refusal", "I cannot"}},
       "refused",
       "I cannot"},
      {{{"text", ""}, {"finish_reason", "content_filter"}}, "refused", "refused"},
      {call("{\"files\": [\"a\""), "bad_arguments",
       "tool call 1: its arguments are no JSON, line 1, column 15"},
      {call("no"), "bad_arguments", "tool call 1"},
      {call({1}), "bad_arguments", "no object"},
      {{{"text", ""}, {"tool_calls", {{{"name", "rm"}, {"arguments", Json::object()}}}}},
       "unknown_tool",
       "tool call 1: there is no tool 'rm'"},
      {"text", "wrong_shape", "no object"},
  };
  for (const auto& row : rows) {
    const auto plan = read_tool_plan(row.data, rules());
    ASSERT_FALSE(plan) << row.data;
    EXPECT_EQ(plan.error().rule, row.rule) << row.data;
    EXPECT_THAT(plan.error().message, HasSubstr(row.message)) << row.data;
  }
  const auto repaired = read_tool_plan(call("{\"files\": [\"src/a.ts\",]}"), rules());
  ASSERT_TRUE(repaired);
  EXPECT_EQ(repaired->calls[0], kRead);
  EXPECT_THAT(repaired->notes, Contains(HasSubstr("trailing comma")));
}

}  // namespace
}  // namespace filecall::client
