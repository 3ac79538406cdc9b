// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_models.h"

#include <gtest/gtest.h>

#include <string>

#include "yaml/yaml_document.h"

namespace filecall::client {
namespace {

TEST(ForeignModels, NamesAreReadAsProviderAndModel) {
  const struct {
    const char* id;
    const char* provider;
    const char* model;
  } kCases[] = {
      {"openai:gpt-4.1", "openai", "gpt-4.1"},
      {"openai:chat:gpt-4.1", "openai", "gpt-4.1"},
      {"openai:chat:ft:gpt-4.1:me", "openai", "ft:gpt-4.1:me"},
      {"openai:responses:gpt-5", "openai", "gpt-5"},
      {"anthropic:messages:claude-sonnet-4", "anthropic", "claude-sonnet-4"},
      {"ollama:chat:llama3", "local", "llama3"},
      {"ollama:llama3:8b", "local", "llama3:8b"},
      {"vllm:qwen", "local", "qwen"},
  };
  for (const auto& one : kCases) {
    const auto name = read_model_name(one.id);
    ASSERT_TRUE(name) << one.id;
    EXPECT_EQ(name->provider, one.provider) << one.id;
    EXPECT_EQ(name->model, one.model) << one.id;
  }
  for (const char* id : {"echo", "openai:", "openai", "openai:image:dall-e-3", "bedrock:x",
                         "openai:embedding:x", "ollama:embeddings:x", "exec:a.sh", "", ":x"}) {
    EXPECT_FALSE(read_model_name(id)) << id;
  }
}

TEST(YamlDocument, TextComesBackAsItWas) {
  const Json value = {
      {"plain", "a-b/c.d"},
      {"quoted", {"true", "7", "null", "~", "", " x ", "a: b", "- a", "#", "é\n\t\""}},
      {"numbers", {1, -2.5, true, nullptr}},
      {"nested", {{{"a", {{"b", {1, {2, 3}}}}}, {"c", Json::array()}}, Json::object()}},
      {"odd key: x", 1},
      {"7", "x"}};
  const auto read = YamlDocument::parse(yaml_text(value), "t.yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->json(), value) << yaml_text(value);
}

TEST(YamlDocument, KnowsLinesAndFollowsAnchors) {
  const auto read = YamlDocument::parse(
      "base: &base\n  a: 1\n  b: 2\nlist:\n  - <<: *base\n    b: 3\n  - *base\n", "t.yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->json()["list"], Json({{{"a", 1}, {"b", 3}}, {{"a", 1}, {"b", 2}}}));
  EXPECT_EQ(read->line_of("/base/b"), 3);
  EXPECT_EQ(read->line_of("/list/0"), 5);
  EXPECT_EQ(read->line_of("/list/0/absent/deep"), 5);
  EXPECT_FALSE(YamlDocument::parse("a: [", "t.yaml"));
  EXPECT_FALSE(YamlDocument::parse("? [a]\n: b\n", "t.yaml"));
}

}  // namespace
}  // namespace filecall::client
