// SPDX-License-Identifier: MIT
#include "worker/config/config_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& yaml) {
  const auto config = read_config(yaml, "w.yaml");
  return config ? "" : config.error().message;
}

TEST(ConfigReader, AnEmptyFileIsAllDefaults) {
  const auto config = read_config("", "w.yaml");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->grace, seconds(30));
  EXPECT_EQ(config->source.durability, Durability::kFull);
}

TEST(ConfigReader, PutsTheHomeDirectoryForATilde) {
  auto config = read_config(R"(
roots: [~/calls, /srv/~/x]
log: {file: ~/log}
tool: {roots: ["~", ~other/x], readable: [~/in], tools: {t: {argv: [true], cwd: ~/w}}}
)",
                            "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  expand_home(*config, "/home/me");
  EXPECT_EQ(config->roots, (std::vector<std::string>{"/home/me/calls", "/srv/~/x"}));
  EXPECT_EQ(config->log.path, "/home/me/log");
  EXPECT_EQ(config->tool.roots, (std::vector<std::string>{"/home/me", "~other/x"}));
  EXPECT_EQ(config->tool.readable, std::vector<std::string>{"/home/me/in"});
  EXPECT_EQ(config->tool.tools.front().cwd, "/home/me/w");
}

TEST(ConfigReader, ReadsEverySetting) {
  const auto config = read_config(R"(
roots: [/a, /b]
durability: file
grace: 5s
settle: 100ms
limits: {request_bytes: 1MiB, depth: 64}
log: {level: debug, format: json, file: /tmp/log, rotate_bytes: 1MiB, rotated_files: 2}
destinations:
  slow: {concurrency: 2, rate: 0.5, burst: 3}
)",
                                  "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->roots, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(config->source.durability, Durability::kFile);
  EXPECT_EQ(config->grace, seconds(5));
  EXPECT_EQ(config->source.reader.settle, milliseconds(100));
  EXPECT_EQ(config->source.reader.request_limits.bytes_max, 1u << 20);
  EXPECT_EQ(config->source.reader.request_limits.depth_max, 64);
  EXPECT_EQ(config->log_level, LogLevel::kDebug);
  EXPECT_TRUE(config->log.json);
  EXPECT_EQ(config->log.rotated_files, 2u);
  const auto& slow = config->destinations.at("slow");
  EXPECT_EQ(slow.concurrency, 2);
  EXPECT_DOUBLE_EQ(slow.rate_per_s, 0.5);
  EXPECT_DOUBLE_EQ(slow.burst, 3);
}

TEST(ConfigReader, NamesFileLineAndColumn) {
  EXPECT_THAT(complaint("grace: soon\n"), HasSubstr("w.yaml:1:8: grace: "));
  EXPECT_THAT(complaint("limits:\n  depth: 9999\n"), HasSubstr("w.yaml:2:10: limits.depth: "));
  EXPECT_THAT(complaint("a: [1\nb: 2\n"), HasSubstr("w.yaml:2:"));
  EXPECT_THAT(complaint("- just a list\n"), HasSubstr("w.yaml:1:1: must be a mapping"));
}

TEST(ConfigReader, ListsEveryMistakeAtOnce) {
  const std::string text = complaint("grace: soon\ndurability: maybe\nroots: /a\n");
  EXPECT_THAT(text, HasSubstr("grace"));
  EXPECT_THAT(text, HasSubstr("must be one of: full, journal, file, none"));
  EXPECT_THAT(text, HasSubstr("roots: must be a list"));
}

TEST(ConfigReader, RefusesUnknownAndRepeatedKeys) {
  EXPECT_THAT(complaint("gracee: 1s\n"), HasSubstr("gracee: unknown key; known here: "));
  EXPECT_THAT(complaint("grace: 1s\ngrace: 2s\n"), HasSubstr("w.yaml:2:1: grace: given twice"));
  EXPECT_THAT(complaint("log: {colour: red}\n"), HasSubstr("log.colour: unknown key"));
}

}  // namespace
}  // namespace filecall::worker
