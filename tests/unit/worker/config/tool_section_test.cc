// SPDX-License-Identifier: MIT
#include "worker/config/tool_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/config/config_reader.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ToolSection, ReadsProgramsLimitsAndDeclaredTools) {
  const auto config = read_config(R"(
tool:
  allow: [git, python3]
  roots: [/srv]
  env: [TZ]
  concurrency: 3
  timeout: 10s
  output_bytes: 64KiB
  limits: {memory: 512MiB, cpu: 5s, files: 64}
  tools:
    lint:
      description: Looks at one file.
      argv: [python3, -m, py_compile, "{path}"]
      args: {type: object, properties: {path: {type: string}}, required: [path]}
      effects: none
      risk: low
      check: true
      concurrency: 1
)",
                                  "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  const ToolConfig& tool = config->tool;
  EXPECT_THAT(tool.allow, ElementsAre("git", "python3"));
  EXPECT_EQ(tool.limits.memory_bytes, 512LL << 20);
  EXPECT_EQ(tool.limits.cpu_seconds, 5);
  EXPECT_EQ(tool.timeout, seconds(10));
  EXPECT_EQ(config->destinations.at("tool").concurrency, 3);
  ASSERT_EQ(tool.tools.size(), 1u);
  EXPECT_EQ(tool.tools[0].effects, Effects::kNone);
  EXPECT_EQ(tool.tools[0].concurrency_class, "lint");
  EXPECT_EQ(tool.tools[0].args_schema["required"][0], "path");
  EXPECT_EQ(config->destinations.at("tool.lint").concurrency, 1);
}

TEST(ToolSection, TakesEveryProgramOnlyWhenSaidOnPurpose) {
  EXPECT_THAT(read_config("tool: {allow: \"*\"}", "w.yaml")->tool.allow, ElementsAre("*"));
  const auto refused = read_config("tool: {allow: git}", "w.yaml");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("w.yaml:1:15: tool.allow: must be a list"));
}

TEST(ToolSection, RefusesAPlaceholderThatTheSchemaDoesNotKnow) {
  const auto refused = read_config("tool: {tools: {t: {argv: [ls, \"{nowhere}\"]}}}", "w.yaml");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace filecall::worker
