// SPDX-License-Identifier: MIT
#include "client/batch/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using testing::HasSubstr;

TEST(ModelFile, HasModelsWithParamsOfTheirOwn) {
  const auto models = parse_model_file(
      "models:\n"
      "  - {name: cold, model: openai/small, params: {temperature: 0, stop: [x]}}\n"
      "  - {name: warm, model: small, provider: openai, params: {temperature: 1.5}}\n"
      "  - {model: meta/llama, provider: router}\n",
      "m.yaml");
  ASSERT_TRUE(models) << models.error().message;
  ASSERT_EQ(models->size(), 3U);
  EXPECT_EQ((*models)[0].provider, "openai");
  EXPECT_EQ((*models)[0].model, "small");
  EXPECT_EQ((*models)[0].params, Json({{"temperature", 0}, {"stop", {"x"}}}));
  EXPECT_EQ((*models)[1].name, "warm");
  EXPECT_EQ((*models)[2].model, "meta/llama");
  EXPECT_EQ((*models)[2].provider, "router");
}

TEST(ModelFile, NamesThePlaceOfWhatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {"{}", "models"},
      {"models: []", "models"},
      {"models:\n  - {provider: p}\n", "m.yaml:2"},
      {"models:\n  - {model: a, param: {}}\n", "known here: model, name, params, provider"},
      {"models:\n  - {model: a, params: 3}\n", "must be a mapping"},
      {"models:\n  - {model: a, params: {model: b}}\n", "must not have model"},
      {"models:\n  - {model: a}\n  - {model: a, params: {seed: 1}}\n", "'a' is there already"},
      {"models:\n  - {name: x, model: a}\n  - {name: y, model: a}\n", "asks the same as x"},
  };
  for (const auto& [text, expected] : rows) {
    const auto models = parse_model_file(text, "m.yaml");
    ASSERT_FALSE(models) << text;
    EXPECT_THAT(models.error().message, HasSubstr(expected));
  }
}

}  // namespace
}  // namespace filecall::client
