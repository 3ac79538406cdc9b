// SPDX-License-Identifier: MIT
#include "worker/exec/llm/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/llm/chat_data.h"
#include "worker/exec/llm/schema_checks.h"

namespace filecall::worker::llm {
namespace {

using testing::HasSubstr;

const MonotonicTime kStart{};

ProviderConfig configured(ProviderKind kind, std::string_view profile, std::string base_url) {
  ProviderConfig config;
  config.name = "p";
  config.kind = kind;
  config.profile = find_profile(profile);
  config.base_url = std::move(base_url);
  config.api_key_env = "KEY";
  return config;
}

Provider make(std::string_view profile, std::string base_url,
              ProviderKind kind = ProviderKind::kOpenAi) {
  return {
      configured(kind, profile, std::move(base_url)), {{"KEY", " the-key-of-mine\n"}}, seconds(60)};
}

TEST(Breaker, LetsOneThroughAfterEachPause) {
  Breaker breaker(seconds(10));
  EXPECT_TRUE(breaker.allows(kStart));
  breaker.open("why", kStart);
  EXPECT_FALSE(breaker.allows(kStart + seconds(9)));
  EXPECT_TRUE(breaker.allows(kStart + seconds(10)));
  EXPECT_FALSE(breaker.allows(kStart + seconds(11)));
  breaker.close();
  EXPECT_TRUE(breaker.allows(kStart + seconds(11)));
  EXPECT_EQ(breaker.reason(), "");
  breaker.open("", kStart);
  EXPECT_TRUE(breaker.is_open()) << "whatever the reason says";
  EXPECT_FALSE(breaker.allows(kStart + seconds(9)));
}

TEST(Provider, SendsItsKeyAsItsProfileWants) {
  const std::pair<const char*, std::pair<std::string, std::string>> cases[] = {
      {"openai", {"Authorization", "Bearer the-key-of-mine"}},
      {"azure", {"api-key", "the-key-of-mine"}},
      {"anthropic", {"x-api-key", "the-key-of-mine"}}};
  for (const auto& [profile, expected] : cases) {
    const HttpRequest request = make(profile, "http://h/v1").make_request("POST", "/x", "{}");
    ASSERT_EQ(request.secret_headers.size(), 1u) << profile;
    EXPECT_EQ(request.secret_headers[0].first, expected.first);
    EXPECT_EQ(request.secret_headers[0].second.reveal(), expected.second);
    for (const auto& [name, value] : request.headers)
      EXPECT_EQ(value.find("the-key"), std::string::npos);
  }
}

TEST(Provider, JoinsUrlsWhateverPeopleWrite) {
  EXPECT_EQ(join_url("http://h/v1/", "/x"), "http://h/v1/x");
  EXPECT_EQ(join_url("http://h/v1?api-version=1", "/x"), "http://h/v1/x?api-version=1");
  const auto url = [](const char* base) {
    return make("anthropic", base, ProviderKind::kAnthropic)
        .make_request("POST", "/v1/messages", "")
        .url;
  };
  EXPECT_EQ(url("http://h"), "http://h/v1/messages");
  EXPECT_EQ(url("http://h/v1/"), "http://h/v1/messages");
}

TEST(Provider, TellsOfAMissingOrBrokenKey) {
  const auto problem = [](std::string_view profile, const char* key) {
    return Provider(configured(ProviderKind::kOpenAi, profile, "http://h"), {{"KEY", key}},
                    seconds(1))
        .key_problem();
  };
  EXPECT_THAT(problem("openai", " "), HasSubstr("no key in $KEY"));
  EXPECT_THAT(problem("openai", "two words"), HasSubstr("not a single word"));
  EXPECT_THAT(problem("openai", "evil\r\nheader: x"), HasSubstr("not a single word"));
  EXPECT_EQ(problem("vllm", ""), "");
}

TEST(Provider, KeepsWhatIsBrokenApart) {
  Provider provider = make("openai", "http://h");
  provider.note(verdict_of(ErrorClass::kNotFound), "gone", "no such model", kStart);
  EXPECT_THAT(provider.refusal("gone", kStart).value_or(""), HasSubstr("no such model"));
  EXPECT_EQ(provider.refusal("other", kStart), std::nullopt);
  EXPECT_THAT(provider.problem(), HasSubstr("model gone: not_found"));
  provider.note(verdict_of(ErrorClass::kQuota), "other", "no money", kStart);
  EXPECT_THAT(provider.refusal("any", kStart).value_or(""), HasSubstr("quota: no money"));
  provider.note_success("gone");
  EXPECT_EQ(provider.problem(), "");
  provider.note(verdict_of(ErrorClass::kServer), "any", "m", kStart);
  EXPECT_EQ(provider.problem(), "");
}

TEST(DefaultProviders, ComeFromTheEnvironment) {
  EXPECT_EQ(default_providers({}).size(), 1u);
  EXPECT_TRUE(default_providers({})[0].is_searched);
  const auto both = default_providers({{"OPENAI_API_KEY", "a"}, {"ANTHROPIC_API_KEY", "b"}});
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(both[0].base_url, "https://api.openai.com/v1");
  EXPECT_EQ(both[0].profile->name, "openai");
  EXPECT_TRUE(lists_model(both[1], "claude-x"));
  EXPECT_FALSE(lists_model(both[1], "gpt-x"));
  const auto elsewhere = default_providers({{"OPENAI_BASE_URL", "http://127.0.0.1:8000/v1"}});
  EXPECT_EQ(elsewhere[0].profile->name, "generic");
}

TEST(ChatData, KeepsArgumentsThatAreNoJsonAsTheyAre) {
  ChatResult result;
  result.tool_calls = {{"1", "f", "{\"a\":1}"}, {"2", "g", "{broken"}, {"3", "h", ""}};
  const Json calls = result_data(result)["tool_calls"];
  EXPECT_EQ(calls[0]["arguments"], (Json{{"a", 1}}));
  EXPECT_EQ(calls[1]["arguments"], "{broken");
  EXPECT_EQ(calls[1]["arguments_invalid"], true);
  EXPECT_EQ(calls[2]["arguments"], Json::object());
}

TEST(ChatData, ReckonsCostOnlyFromWhatIsKnown) {
  ProviderConfig provider;
  provider.prices.add("m", {2, 10, 0.5});
  Usage usage{1'000'000, 100'000, 400'000, std::nullopt};
  EXPECT_DOUBLE_EQ(*cost_of(usage, provider, "m", "m-2026-01-02"), 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10);
  EXPECT_EQ(cost_of(usage, provider, "other", "other"), std::nullopt);
  EXPECT_EQ(cost_of(Usage(), provider, "m", "m"), std::nullopt);
  provider.prices.add("*", {1, 1, std::nullopt});
  EXPECT_DOUBLE_EQ(*cost_of(usage, provider, "other", "other"), 1.1);
  const Usage more_cached_than_read{10, 0, 1'000'000'000, std::nullopt};
  EXPECT_GE(*cost_of(more_cached_than_read, provider, "m", "m"), 0);
}

TEST(ChatData, TakesAKeyOutOfEveryText) {
  const Secret key("the-key-of-mine");
  Failure failure;
  failure.message = "a the-key-of-mine b";
  failure.details = {{"x", {"the-key-of-mine", {{"y", "the-key-of-mine"}}}}};
  redact(failure, key);
  EXPECT_EQ(failure.message, "a *** b");
  EXPECT_EQ(dump_json(failure.details).find("the-key"), std::string::npos);
}

TEST(Redact, TakesKeysOutOfTheNamesOfMembersToo) {
  const Secrets key(Secret("the-key-of-mine"));
  Json value = {{"the-key-of-mine", 1},
                {"x", {{"a the-key-of-mine b", {{"the-key-of-mine", "the-key-of-mine"}}}}}};
  redact(value, key);
  EXPECT_EQ(value, (Json{{"***", 1}, {"x", {{"a *** b", {{"***", "***"}}}}}}));
}

TEST(Redact, KeepsMembersWhoseNamesBecomeTheSame) {
  Secrets secrets;
  secrets.add(Secret("key-number-one"));
  secrets.add(Secret("key-number-two"));
  Json value = {{"key-number-one", 1}, {"key-number-two", 2}, {"*** (2)", 3}};
  redact(value, secrets);
  EXPECT_EQ(value, (Json{{"***", 1}, {"*** (3)", 2}, {"*** (2)", 3}}));
}

TEST(Secrets, KnowWhatMayBeTheBeginningOfOne) {
  Secrets secrets(Secret("abcabcabd"));
  EXPECT_EQ(secrets.begun_at_end("xx"), 0U);
  EXPECT_EQ(secrets.begun_at_end("xxa"), 1U);
  EXPECT_EQ(secrets.begun_at_end("xxabcabcab"), 8U);
  EXPECT_EQ(secrets.begun_at_end("abcabcabcab"), 8U);
  EXPECT_EQ(secrets.begun_at_end("abcabcabd"), 0U) << "it is whole, and is taken out as such";
  secrets.add(Secret("xyzxyzxyz"));
  EXPECT_EQ(secrets.begun_at_end("abc xyz"), 3U);
  EXPECT_EQ(secrets.redact("xyzxyzxyz abcabcabd"), "*** ***");
  EXPECT_EQ(Secrets(Secret("short")).begun_at_end("sho"), 0U) << "it would be found everywhere";
}

TEST(Provider, HidesTheCredentialsAmongItsHeaders) {
  ProviderConfig config = configured(ProviderKind::kOpenAi, "generic", "http://h/v1");
  config.headers = {{"X-Gateway-Token", "gateway-token-1"},
                    {"Proxy-Authorization", "Bearer proxied-token-2"},
                    {"X-Team", "a-team-of-ours"}};
  const Provider provider(config, {{"KEY", "the-key-of-mine"}}, seconds(60));
  EXPECT_EQ(provider.secrets().redact("gateway-token-1 proxied-token-2 the-key-of-mine"),
            "*** *** ***");
  EXPECT_EQ(provider.secrets().redact("a-team-of-ours"), "a-team-of-ours");
  const HttpRequest request = provider.make_request("POST", "/chat", "");
  for (const auto& [name, value] : request.headers) {
    EXPECT_EQ(value.find("token"), std::string::npos) << name;
  }
  EXPECT_EQ(request.secret_headers.size(), 3U);
}

TEST(SchemaCache, KeepsTheLastSchemasWithinItsBytes) {
  const auto keep = [](SchemaCache& cache, const Json& schema) {
    auto compiled = SchemaValidator::compile(schema);
    cache.keep(SchemaCache::hash_of(schema),
               std::make_shared<const SchemaValidator>(std::move(*compiled)));
  };
  const auto has = [](const SchemaCache& cache, const Json& schema) {
    return cache.find(SchemaCache::hash_of(schema)) != nullptr;
  };
  const Json object = {{"type", "object"}}, array = {{"type", "array"}}, text = {{"pattern", "a"}};
  SchemaCache one(1);
  keep(one, object);
  EXPECT_TRUE(has(one, object));
  keep(one, array);
  EXPECT_TRUE(has(one, array));
  EXPECT_FALSE(has(one, object));
  SchemaCache small(64, 1024 * 1024);
  keep(small, object);
  keep(small, text);
  EXPECT_TRUE(has(small, object));
  EXPECT_FALSE(has(small, text)) << "a pattern may come to take megabytes";
}

TEST(SchemaChecks, CompileAndCheckAwayFromTheLoopAndCallBackOnIt) {
  uv_loop_t loop;
  ASSERT_EQ(uv_loop_init(&loop), 0);
  std::vector<std::string> seen;
  {
    SchemaChecks checks(&loop);
    const Json schema = {{"type", "object"}, {"required", {"n"}}};
    SchemaChecks::Validator validator;
    checks.compile(schema, [&](Result<SchemaChecks::Validator> compiled) {
      ASSERT_TRUE(compiled);
      validator = *compiled;
    });
    checks.compile({{"type", "nonsense"}}, [&](Result<SchemaChecks::Validator> compiled) {
      EXPECT_FALSE(compiled);
      seen.emplace_back("refused");
    });
    EXPECT_EQ(validator, nullptr) << "not on the loop's thread";
    uv_run(&loop, UV_RUN_DEFAULT);
    ASSERT_NE(validator, nullptr);
    checks.compile(schema, [&](Result<SchemaChecks::Validator> compiled) {
      EXPECT_EQ(*compiled, validator);
      seen.emplace_back("known");
    });
    checks.check("{\"m\":1}", validator, [&](const StructuredAnswer& answer) {
      EXPECT_EQ(answer.pointer, "/n");
      seen.emplace_back("checked");
    });
    EXPECT_EQ(seen, (std::vector<std::string>{"refused", "known"}));
    uv_run(&loop, UV_RUN_DEFAULT);
    checks.check("{}", validator, [&](const StructuredAnswer&) { seen.emplace_back("too late"); });
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(seen, (std::vector<std::string>{"refused", "known", "checked"}));
  EXPECT_EQ(uv_loop_close(&loop), 0);
}

TEST(ReadStructured, TakesWhatFitsAndNothingElse) {
  const auto object = SchemaValidator::compile(Json{{"type", "object"}, {"required", {"n"}}});
  EXPECT_EQ(read_structured("{\"n\":1}", &*object).parsed, (Json{{"n", 1}}));
  EXPECT_EQ(read_structured("{\"m\":1}", &*object).parsed, Json());
  EXPECT_FALSE(read_structured("{\"m\":1}", &*object).complaint.empty());
  EXPECT_FALSE(read_structured("```json\n{}\n```", nullptr).complaint.empty());
  EXPECT_FALSE(read_structured("[1]", nullptr).complaint.empty());
  EXPECT_FALSE(read_structured(std::string(100'000, '['), nullptr).complaint.empty());
}

}  // namespace
}  // namespace filecall::worker::llm
