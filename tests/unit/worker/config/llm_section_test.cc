// SPDX-License-Identifier: MIT
#include "worker/config/llm_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/config/config_reader.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LlmSection, ReadsAProviderWithEverything) {
  const auto config = read_config(R"(
llm:
  default: main
  breaker_pause: 10s
  providers:
    main:
      kind: openai-responses
      base_url: http://h/v1
      profile: litellm
      api_key_file: /run/key
      headers: {X-Team: mine}
      models: [a, "b*"]
      max_in_flight: 7
      rpm: 120
      tpm: 6000
      timeouts: {connect: 1s, first_event: 2s, idle: 3s, total: 4s}
      extra_body: {user: me, n_predict: 5}
      proxy: http://p:1
      ca_file: /ca.pem
      max_tokens: 99
      response_bytes: 1MiB
      prices: {a: {input: 1, output: 2, cached_input: 0.5}}
)",
                                  "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->llm.providers.size(), 1u);
  const llm::ProviderConfig& provider = config->llm.providers[0];
  EXPECT_EQ(config->llm.default_provider, "main");
  EXPECT_EQ(config->llm.breaker_pause, seconds(10));
  EXPECT_EQ(provider.kind, llm::ProviderKind::kOpenAiResponses);
  EXPECT_EQ(provider.profile->name, "litellm");
  EXPECT_EQ(provider.api_key_file, "/run/key");
  EXPECT_EQ(provider.api_key_env, "");
  EXPECT_THAT(provider.models, ElementsAre("a", "b*"));
  EXPECT_EQ(provider.timeouts.idle, seconds(3));
  EXPECT_EQ(provider.extra_body["n_predict"], 5);
  EXPECT_EQ(provider.response_bytes, 1u << 20);
  ASSERT_NE(provider.prices.find("", "a", ""), nullptr);
  EXPECT_EQ(provider.prices.find("", "a", "")->cached_input, 0.5);
}

TEST(LlmSection, FillsInWhatFollowsFromKindAndAddress) {
  const auto config = read_config(R"(
llm:
  providers:
    a: {}
    b: {kind: anthropic}
    c: {base_url: "http://127.0.0.1:11434/v1"}
    d: {base_url: "https://x.openai.azure.com/openai/v1", api_key_env: AZURE}
    e: {base_url: "http://h:9/v1"}
)",
                                  "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  const auto& providers = config->llm.providers;
  const std::string_view profiles[] = {"openai", "anthropic", "ollama", "azure", "generic"};
  const std::string keys[] = {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "", "AZURE", ""};
  ASSERT_EQ(providers.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(providers[i].profile->name, profiles[i]) << i;
    EXPECT_EQ(providers[i].api_key_env, keys[i]) << i;
    EXPECT_EQ(providers[i].max_in_flight, providers[i].profile->max_in_flight) << i;
  }
  EXPECT_EQ(providers[1].base_url, "https://api.anthropic.com");
}

TEST(LlmSection, GivesEveryProviderItsLimitsUnlessTheFileNamesThem) {
  auto config = read_config(R"(
llm: {providers: {a: {max_in_flight: 7, rpm: 120, tpm: 6000}, b: {}}}
destinations: {llm.b: {concurrency: 3}}
)",
                            "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  add_llm_destinations(*config);
  const DestinationLimits& limits = config->destinations.at("llm.a");
  EXPECT_EQ(limits.concurrency, 7);
  EXPECT_DOUBLE_EQ(limits.rate_per_s, 2);
  EXPECT_DOUBLE_EQ(limits.tokens_per_s, 100);
  EXPECT_DOUBLE_EQ(limits.tokens_burst, 1000);
  EXPECT_EQ(config->destinations.at("llm.b").concurrency, 3);
}

TEST(LlmSection, RefusesAKeyInTheFileItself) {
  const auto refused = read_config("llm: {providers: {a: {api_key: sk-1}}}", "w.yaml");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("unknown key"));
  EXPECT_THAT(refused.error().message, testing::Not(HasSubstr("sk-1")));
}

}  // namespace
}  // namespace filecall::worker
