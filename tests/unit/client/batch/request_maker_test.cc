// SPDX-License-Identifier: MIT
#include "client/batch/request_maker.h"

#include <gmock/gmock.h>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MadeRequests make(const BatchPlan& plan, const Json& row, std::optional<std::string> stem = {}) {
  auto made = RequestMaker(plan).make(dump_json(row), stem);
  if (!made) {
    ADD_FAILURE() << row << ": " << made.error();
    return {};
  }
  return *std::move(made);
}

std::string row_problem(const BatchPlan& plan, const Json& row) {
  const auto made = RequestMaker(plan).make(dump_json(row), {});
  return made ? "" : made.error();
}

BatchPlan ask(const std::string& prompt) {
  BatchPlan plan;
  plan.templates = {{"ask", {{"command", "llm.chat"}, {"params", Json::object()}}, prompt}};
  return plan;
}

const Json kRequest = {
    {"request_id", "r1"}, {"command", "llm.chat"}, {"params", {{"prompt", "p"}}}};

TEST(RequestMaker, LeavesRequestsAsTheyAre) {
  const RequestMaker maker(BatchPlan{});
  EXPECT_TRUE(maker.leaves_as_it_is("anything"));
  EXPECT_FALSE(maker.leaves_as_it_is(R"({"custom_id": 1})"));
  const MadeRequests made = make({}, kRequest);
  EXPECT_EQ(made.item, "");
  EXPECT_THAT(made.texts, ElementsAre(dump_json(kRequest)));
}

TEST(RequestMaker, AMemberOfAWrongTypeIsAnsweredWhereverItStands) {
  const Json wrong[] = {nullptr,
                        true,
                        3,
                        -0.5,
                        "x",
                        "{{land}}",
                        "{{land|json}}",
                        Json::array(),
                        Json::object(),
                        Json::array({1}),
                        {{"a", 1}}};
  const Json whole = {
      {"command", "llm.chat"},
      {"params",
       {{"messages", {{{"role", "user"}, {"content", {{{"type", "text"}, {"text", "t"}}}}}}},
        {"seed", 1},
        {"tools", {{{"name", "n"}}}}}},
      {"metadata", {{"vars", {{"land", "x"}}}, {"repeat", 1}, {"item", "i"}, {"prompt", "p"}}},
      {"turns", {{{"user", "u"}}}}};
  int count = 0;
  const Json places = whole.flatten();
  for (const auto& [place, unused] : places.items()) {
    for (auto at = Json::json_pointer(place); !at.empty(); at = at.parent_pointer()) {
      for (const Json& value : wrong) {
        BatchPlan plan = ask("");
        plan.templates[0].request = whole;
        plan.templates[0].request[at] = value;
        // The loader of templates refuses other ones.
        if (!plan.templates[0].request["params"].is_object()) continue;
        plan.templates[0].prompt = count % 2 == 0 ? "" : "p {{land}}";
        plan.matrix.repeat = 2;
        for (const Json& row : {Json{{"land", true}}, Json{{"land", {{"b", 2}}}}, whole}) {
          const auto made = RequestMaker(plan).make(dump_json(row), {});
          EXPECT_TRUE(made || !made.error().empty());
          const auto of_row =
              RequestMaker(ask("{{land}}")).make(dump_json(plan.templates[0].request), {});
          EXPECT_TRUE(of_row || !of_row.error().empty());
          ++count;
        }
      }
    }
  }
  EXPECT_GT(count, 1000);
}

TEST(RequestMaker, ARowFillsEveryPromptForEveryModelAndRepeat) {
  BatchPlan plan = ask("Capital of {{land}}? {{style}}");
  plan.templates.push_back({"short",
                            {{"command", "llm.chat"},
                             {"params", {{"messages", {{{"role", "system"}, {"content", "s"}}}}}}},
                            "{{land}}"});
  plan.variables = {{"style", "Briefly."}};
  plan.matrix.models = {{"", "a"}, {"p", "b"}};
  plan.matrix.repeat = 2;
  plan.matrix.seed = 7;
  plan.matrix.params = {{"temperature", 0}};
  const MadeRequests made = make(plan, {{"id", "fr"}, {"land", "France"}});
  EXPECT_EQ(made.item, "fr");
  EXPECT_TRUE(made.is_named);
  ASSERT_EQ(made.texts.size(), 8U);
  const Json vars = {{"id", "fr"}, {"land", "France"}, {"style", "Briefly."}};
  EXPECT_EQ(
      Json::parse(made.texts[0]),
      Json({{"command", "llm.chat"},
            {"params",
             {{"prompt", "Capital of France? Briefly."},
              {"model", "a"},
              {"seed", 7},
              {"temperature", 0}}},
            {"metadata", {{"item", "fr"}, {"prompt", "ask"}, {"model", "a"}, {"repeat", 1}}}}));
  EXPECT_EQ(Json::parse(made.of_row[0].metadata)["vars"], vars);
  const Json last = Json::parse(made.texts[7]);
  EXPECT_EQ(last["params"]["messages"][1], Json({{"role", "user"}, {"content", "France"}}));
  EXPECT_EQ(last["params"]["seed"], 8);
  EXPECT_EQ(last["metadata"]["provider"], "p");
  EXPECT_EQ(last["metadata"]["model"], "b");
  EXPECT_EQ(last["metadata"]["prompt"], "short");
  EXPECT_EQ(last["metadata"]["repeat"], 2);
}

TEST(RequestMaker, TurnsOfARowBeginAsAPromptAndLieBesideTheRequest) {
  BatchPlan plan = ask("");
  plan.templates[0].conversation = {{"turns", "{{talk|json}}"}};
  const MadeRequests one = make(plan, {{"id", "fr"}, {"talk", {"Paris?"}}});
  const MadeRequests two = make(plan, {{"id", "fr"}, {"talk", {"Paris?", "And?"}}});
  ASSERT_EQ(two.texts.size(), 1U);
  EXPECT_EQ(Json::parse(two.texts[0])["params"], Json({{"prompt", "Paris?"}}));
  EXPECT_FALSE(Json::parse(two.texts[0])["metadata"].contains("conversation"));
  EXPECT_EQ(two.of_row[0].turns, 2);
  EXPECT_EQ(Json::parse(two.of_row[0].metadata)["conversation"],
            Json({{"turns", {"Paris?", "And?"}}}));
  // What follows a turn is no part of what the model sees in it; nor is it for a plain prompt.
  EXPECT_EQ(one.of_row[0].identity, two.of_row[0].identity);
  EXPECT_EQ(make(ask("{{talk}}"), {{"id", "fr"}, {"talk", "Paris?"}}).of_row[0].identity,
            two.of_row[0].identity);
}

TEST(RequestMaker, APromptIsTheTurnBeforeThoseOfTheRow) {
  BatchPlan plan = ask("Capital of {{land}}?");
  plan.templates[0].conversation = {{"turns", {"And its {{what}}?"}}};
  const MadeRequests made = make(plan, {{"id", "fr"}, {"land", "France"}, {"what", "river"}});
  EXPECT_EQ(Json::parse(made.texts[0])["params"], Json({{"prompt", "Capital of France?"}}));
  EXPECT_EQ(Json::parse(made.of_row[0].conversation)["turns"],
            Json({"Capital of France?", "And its river?"}));
}

TEST(RequestMaker, ARowWhoseTurnsCannotBeAskedIsRefused) {
  BatchPlan plan = ask("");
  plan.templates[0].conversation = {{"turns", "{{talk|json}}"}};
  plan.max_turns = 2;
  EXPECT_THAT(row_problem(plan, {{"talk", {"a", "b", "c"}}}), HasSubstr("--max-turns 2"));
  EXPECT_THAT(row_problem(plan, {{"talk", "a"}}), HasSubstr("must be a list"));
  EXPECT_THAT(row_problem(plan, {{"other", {"a"}}}), HasSubstr("'talk' is missing"));
  plan.matrix.params = {{"n", 2}};
  EXPECT_THAT(row_problem(plan, {{"talk", {"a"}}}), HasSubstr("not with n above 1"));
  plan.matrix.params = Json::object();
  plan.templates[0].request["command"] = "llm.embed";
  EXPECT_THAT(row_problem(plan, {{"talk", {"a"}}}), HasSubstr("only llm.chat"));
}

TEST(RequestMaker, AnImageOfARowIsReadForItsPlaceAndForTheFirstTurn) {
  BatchPlan plan = ask("what is it?");
  plan.read_image = [](const std::string& place) -> Result<std::string> {
    if (place == "none.png") return fail(ErrorCode::kNotFound, "none.png: is not there");
    return "data:image/png;base64," + place;
  };
  plan.templates[0].images = {"photo"};
  plan.templates[0].conversation = {{"turns", {"sure?"}}};
  const MadeRequests made = make(plan, {{"id", "a"}, {"photo", "cat"}});
  const Json content = Json::parse(made.texts[0])["params"]["messages"][0]["content"];
  EXPECT_EQ(content[1]["image_url"]["url"], "data:image/png;base64,cat");
  EXPECT_EQ(Json::parse(made.of_row[0].conversation)["turns"][0], content);
  EXPECT_THAT(Json::parse(made.of_row[0].metadata)["conversation"].dump(),
              testing::Not(HasSubstr("base64,cat")));
  EXPECT_NE(make(plan, {{"id", "a"}, {"photo", "dog"}}).of_row[0].identity,
            made.of_row[0].identity);
  EXPECT_THAT(row_problem(plan, {{"photo", "none.png"}}),
              HasSubstr("image: column 'photo': none.png: is not there"));
}

TEST(RequestMaker, SeedsAreCountedUpBeyondTheLastNumber) {
  BatchPlan plan;
  plan.matrix.repeat = 2;
  Json request = kRequest;
  request["params"]["seed"] = INT64_MAX;
  const MadeRequests made = make(plan, request);
  ASSERT_EQ(made.texts.size(), 2U);
  EXPECT_EQ(Json::parse(made.texts[1])["params"]["seed"], INT64_MIN);
}

TEST(RequestMaker, ARowIsNamedByItsIdElseByWhatItSays) {
  const BatchPlan plan = ask("{{q}}");
  EXPECT_EQ(make(plan, {{"id", 17}, {"q", "x"}}).item, "17");
  EXPECT_EQ(make(plan, {{"q", "x"}}, "file").item, "file");
  const MadeRequests unnamed = make(plan, {{"q", "x"}});
  EXPECT_FALSE(unnamed.is_named);
  EXPECT_EQ(unnamed.item, make(plan, {{"q", "x"}}).item);
  EXPECT_NE(unnamed.item, make(plan, {{"q", "y"}}).item);
}

TEST(RequestMaker, WhatNoModelSeesIsNotPartOfTheIdentity) {
  const BatchPlan plan = ask("{{q}}");
  const Json row = {{"q", "x"}, {"city", "Rom"}};
  const Json corrected = {{"q", "x"}, {"city", "Rome"}, {"new", 1}};
  const MadeRequests before = make(plan, row);
  const MadeRequests after = make(plan, corrected);
  EXPECT_EQ(after.item, before.item);
  EXPECT_EQ(after.texts, before.texts);
  EXPECT_EQ(after.of_row[0].identity, before.of_row[0].identity);
  EXPECT_EQ(Json::parse(after.of_row[0].metadata)["vars"], corrected);
  const MadeRequests edited = make(ask("Q: {{q}}"), row);
  EXPECT_EQ(edited.item, before.item) << "so that the two can be compared";
  EXPECT_NE(edited.of_row[0].identity, before.of_row[0].identity);
  BatchPlan repeated = plan;
  repeated.matrix.repeat = 2;
  const MadeRequests twice = make(repeated, row);
  EXPECT_EQ(twice.of_row[0].identity, before.of_row[0].identity);
  EXPECT_NE(twice.of_row[1].identity, before.of_row[0].identity);
}

TEST(RequestMaker, ATemplatesOwnPlaceGetsThePrompt) {
  BatchPlan plan = ask("Q: {{q}}");
  plan.templates[0].request["params"] = {{"prompt", "<{{prompt}}>"}, {"top_k", "{{k|json}}"}};
  const Json made = Json::parse(make(plan, {{"q", "{{k}}"}, {"k", "5"}}).texts[0]);
  EXPECT_EQ(made["params"], Json({{"prompt", "<Q: {{k}}>"}, {"top_k", 5}}));
}

TEST(RequestMaker, RequestsAndLinesTakePartInAMatrix) {
  BatchPlan plan;
  plan.matrix.models = {{"", "a"}, {"", "b"}};
  const MadeRequests requests = make(plan, kRequest);
  EXPECT_EQ(requests.item, "r1");
  ASSERT_EQ(requests.texts.size(), 2U);
  EXPECT_FALSE(Json::parse(requests.texts[0]).contains("request_id"));
  EXPECT_EQ(Json::parse(requests.texts[1])["metadata"],
            Json({{"item", "r1"}, {"model", "b"}, {"repeat", 1}}));
  const MadeRequests lines =
      make(plan, {{"custom_id", "c"}, {"url", "/v1/responses"}, {"body", {{"input", "x"}}}});
  EXPECT_EQ(Json::parse(lines.texts[1])["metadata"]["openai_batch"]["custom_id"], "c/b/1");
}

TEST(RequestMaker, ARepeatedRequestCountsItsOwnSeedUp) {
  BatchPlan plan;
  plan.matrix.repeat = 2;
  Json request = kRequest;
  request["params"]["seed"] = 40;
  const MadeRequests made = make(plan, request);
  EXPECT_EQ(Json::parse(made.texts[0])["params"]["seed"], 40);
  EXPECT_EQ(Json::parse(made.texts[1])["params"]["seed"], 41);
}

TEST(RequestMaker, SaysWhatDoesNotFit) {
  BatchPlan both = ask("{{q}}");
  both.variables = {{"q", "x"}};
  BatchPlan models;
  models.matrix.models = {{"", "a"}};
  BatchPlan seeded;
  seeded.matrix.seed = 1;
  const Json echo = {{"command", "system.echo"}, {"params", Json::object()}};
  EXPECT_THAT(row_problem(both, {{"q", "y"}}), HasSubstr("--var q"));
  EXPECT_THAT(row_problem(both, Json::array()), HasSubstr("must be a JSON object"));
  EXPECT_THAT(row_problem(ask("{{q}}"), {{"p", "y"}}), HasSubstr("'q' is missing"));
  EXPECT_THAT(row_problem(models, echo), HasSubstr("system.echo asks no model"));
  EXPECT_THAT(row_problem(seeded, echo), HasSubstr("no seed"));
  EXPECT_THAT(row_problem(models, {{"command", 7}}), HasSubstr("/command"));
}

TEST(RequestMatrix, ReadsModelsWithAndWithoutProviders) {
  const auto models = parse_models("gpt,openai/gpt,router/meta/llama", false).value();
  ASSERT_EQ(models.size(), 3U);
  EXPECT_THAT(models[0].provider, IsEmpty());
  EXPECT_EQ(models[1].provider, "openai");
  EXPECT_EQ(models[2].model, "meta/llama");
  EXPECT_EQ(parse_models("meta/llama", true).value()[0].model, "meta/llama");
  for (const char* bad : {"", "a,", "a,a", "/a", "a/"}) {
    EXPECT_FALSE(parse_models(bad, false)) << bad;
  }
}

}  // namespace
}  // namespace filecall::client
