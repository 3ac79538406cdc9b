// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_secrets.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/credential_words.h"
#include "base/token_formats.h"

namespace filecall::client {
namespace {

TEST(ForeignSecrets, NamesOfCredentialsAreKnown) {
  for (const char* name :
       {"password", "adminPassword", "api_key", "apiKey", "X-Api-Key", "Authorization", "token",
        "access_token", "clientSecret", "session_token", "auth", "Ocp-Apim-Subscription-Key",
        "x-amz-security-token", "DB_PASS", "accesstoken", "Cookie", "credentials"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name :
       {"max_tokens", "stop_token_ids", "eos_token", "tokenizer", "prompt_cache_key", "temperature",
        "secretName", "token_file", "apiKeyEnvar", "author", "bypass", "key", "", "user", "--"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(ForeignSecrets, EveryWordAndTokenThatTheWorkerHidesIsLeftOut) {
  namespace words = credential_words;
  for (const std::string_view word : words::with(words::kWords, words::kSecretWords)) {
    EXPECT_TRUE(is_secret_name(word)) << word;
    EXPECT_TRUE(is_secret_name("my_" + std::string(word))) << word;
    EXPECT_FALSE(is_secret_name(std::string(word) + "_name")) << word;
  }
  for (const std::string_view word : words::kSettingWords) EXPECT_TRUE(is_secret_name(word));
  for (const std::string_view word : words::kInsideWords) {
    EXPECT_TRUE(is_secret_name("db" + std::string(word) + "x")) << word;
  }
  for (const std::string_view owner : words::kKeyOwners) {
    EXPECT_TRUE(is_secret_name(std::string(owner) + "Key")) << owner;
  }
  for (const TokenFormat& format : kTokenFormats) {
    const std::string token = std::string(format.beginning) + std::string(format.rest_min, '7');
    const auto clean = without_secrets({{"note", token}, {"other", token.substr(0, 8)}}, "p");
    EXPECT_EQ(clean.value.contains("note"), token.size() < 16) << format.beginning;
    EXPECT_TRUE(clean.value.contains("other")) << format.beginning;
  }
  const auto kept = without_secrets({{"note", "sk-learn-classifier-of-words"}}, "p");
  EXPECT_TRUE(kept.left_out.empty()) << "a name that only begins alike";
}

TEST(ForeignSecrets, AddressesLoseTheirPasswordsAndKeys) {
  const struct {
    const char* text;
    const char* clean;
  } kCases[] = {
      {"https://me:pw@host/v1", "https://host/v1"},
      {"https://token@host:80", "https://host:80"},
      {"https://me:p/w@host/v1", "https://host/v1"},
      {"https://me:p@w@host", "https://host"},
      {"https://me:p?w#x@host/v1", "https://host/v1"},
      {"https://[::1]:8080/a@b", "https://[::1]:8080/a@b"},
      {"https://host:8080/a@b", "https://host:8080/a@b"},
      {"https://host/@scope/x", "https://host/@scope/x"},
      {"https://h/v1?a=1&api-key=k&b=2#f", "https://h/v1?a=1&b=2#f"},
      {"https://h/v1?key=k", "https://h/v1"},
      {"a http://u:p@x/ b postgres://u:p@y c", "a http://x/ b postgres://y c"},
      {"me@example.com", "me@example.com"},
      {"://", "://"},
      {"", ""},
  };
  for (const auto& one : kCases) EXPECT_EQ(without_address_secrets(one.text), one.clean);
}

TEST(ForeignSecrets, SecretsAreLeftOutAtAnyDepthAndNamed) {
  const auto clean = without_secrets(Json::parse(R"({
      "a": [{"password": 123, "pin": 1}, "Basic dTpw", "basic words stay"],
      "secret": ["x"], "token": null, "passphrase": "", "tokens": 7, "key": "AKIA0123456789ABCDEF",
      "schema": {"properties": {"token": {"type": "string"}, "secret": "x"}}})"),
                                     "body");
  EXPECT_EQ(clean.value, Json::parse(R"({
      "a": [{"pin": 1}, "basic words stay"], "token": null, "passphrase": "", "tokens": 7,
      "schema": {"properties": {"token": {"type": "string"}}}})"));
  const std::vector<std::string> left_out = {"body.a[0].password", "body.a[1]", "body.key",
                                             "body.schema.properties.secret", "body.secret"};
  EXPECT_EQ(clean.left_out, left_out);
}

}  // namespace
}  // namespace filecall::client
