// SPDX-License-Identifier: MIT
#include "client/core/cache_identity.h"

#include <gtest/gtest.h>

#include "client/core/cached_answer.h"

namespace filecall::client {
namespace {

std::optional<std::string> identity(const Json& params, const Json& metadata = nullptr,
                                    const char* command = "llm.chat", bool all = false) {
  return cache_identity(
      dump_json(
          {{"request_id", "r"}, {"command", command}, {"params", params}, {"metadata", metadata}}),
      all);
}

TEST(CacheIdentity, OnlyAnswersThatRepeatThemselvesAreCached) {
  const std::pair<Json, bool> rows[] = {
      {{{"prompt", "x"}}, false},
      {{{"temperature", 0}}, true},
      {{{"temperature", 0.0}}, true},
      {{{"temperature", 0.1}}, false},
      {{{"temperature", 1}, {"seed", 3}}, true},
      {{{"extra_body", {{"seed", 3}}}}, true},
      {{{"temperature", 0}, {"extra_body", {{"temperature", 1}}}}, false},
  };
  for (const auto& [params, expected] : rows) {
    EXPECT_EQ(identity(params).has_value(), expected) << params;
    EXPECT_TRUE(identity(params, nullptr, "llm.chat", true)) << params;
  }
  EXPECT_TRUE(identity({{"input", "x"}}, nullptr, "llm.embed"));
  EXPECT_FALSE(identity({{"temperature", 0}}, nullptr, "tool.run", true));
  EXPECT_FALSE(cache_identity("{", true));
}

TEST(CacheIdentity, IsWhatWasAskedAndNotHowItIsCalled) {
  const Json params = {{"temperature", 0}, {"prompt", "x"}};
  const auto same = identity(params);
  EXPECT_EQ(identity(params, {{"item", "other"}, {"repeat", 1}}), same);
  Json streamed = params;
  streamed["stream"] = true;
  EXPECT_EQ(identity(streamed), same);
  for (const char* member : {"provider", "model", "prompt", "max_tokens"}) {
    Json other = params;
    other[member] = "y";
    EXPECT_NE(identity(other), same) << member;
  }
  EXPECT_NE(identity(params, {{"repeat", 2}}), same) << "a repeat is asked for its own answer";
}

TEST(CacheIdentity, AnAnswerThatIsNotWholeIsNotCached) {
  for (const char* reason : {"length", "content_filter", "refusal", "unknown"}) {
    EXPECT_FALSE(is_cacheable_answer({{"finish_reason", reason}})) << reason;
  }
  EXPECT_TRUE(is_cacheable_answer({{"finish_reason", "stop"}}));
  EXPECT_TRUE(is_cacheable_answer({{"finish_reason", "tool_calls"}}));
  EXPECT_TRUE(is_cacheable_answer({{"embeddings", Json::array()}}));
  EXPECT_FALSE(is_cacheable_answer("text"));
}

TEST(CachedAnswer, HoldsItsRequestAndCostsNothing) {
  const std::string request = R"({"command":"llm.chat","metadata":{"item":"a"},"params":{}})";
  const std::string text = render_cached_answer("r", request, {{"text", "yes"}, {"cost", 3}});
  const Json answer = Json::parse(text);
  EXPECT_EQ(answer["request_id"], "r");
  EXPECT_EQ(answer["status"], "success");
  EXPECT_EQ(answer["metadata"]["item"], "a");
  EXPECT_EQ(answer["data"], Json({{"text", "yes"}, {"cost", 0}, {"cached", true}}));
  const Json unpriced = Json::parse(render_cached_answer("r", request, {{"text", "yes"}}));
  EXPECT_EQ(unpriced["data"], Json({{"text", "yes"}, {"cost", 0}, {"cached", true}}));
  EXPECT_EQ(request_in_answer(text), request);
  EXPECT_FALSE(request_in_answer(R"({"request_id":"r"})"));
  EXPECT_FALSE(request_in_answer("{"));
}

}  // namespace
}  // namespace filecall::client
