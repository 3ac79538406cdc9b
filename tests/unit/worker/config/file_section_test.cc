// SPDX-License-Identifier: MIT
#include "worker/config/file_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/config/config_reader.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(FileSection, AllowsNothingByDefault) {
  const auto config = read_config("", "w.yaml");
  ASSERT_TRUE(config);
  EXPECT_THAT(config->file.roots, IsEmpty());
  EXPECT_THAT(config->file.writable, IsEmpty());
  EXPECT_THAT(config->file.hidden, ElementsAre(".env", "*.pem", "id_*"));
  EXPECT_THAT(config->file.protect, ElementsAre(".git"));
}

TEST(FileSection, AddsToWhatIsHiddenAndProtected) {
  auto config = read_config(R"(
file:
  roots: [~/a, /srv/b]
  writable: [~/a/src]
  hidden: ["*.key"]
  protected: [vendor]
  limits: {read_bytes: 2KiB, file_bytes: 3MiB, results: 7}
)",
                            "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  expand_home(*config, "/home/me");
  EXPECT_THAT(config->file.roots, ElementsAre("/home/me/a", "/srv/b"));
  EXPECT_THAT(config->file.writable, ElementsAre("/home/me/a/src"));
  EXPECT_THAT(config->file.hidden, ElementsAre(".env", "*.pem", "id_*", "*.key"));
  EXPECT_THAT(config->file.protect, ElementsAre(".git", "vendor"));
  EXPECT_EQ(config->file.read_bytes, 2048U);
  EXPECT_EQ(config->file.file_bytes, 3U << 20U);
  EXPECT_EQ(config->file.results, 7U);
}

TEST(FileSection, NamesWhatIsWrong) {
  const auto config = read_config(
      "file: {root: [a], hidden: ['[x'], limits: {results: 0, file_bytes: 1TiB}}", "w.yaml");
  ASSERT_FALSE(config);
  for (const char* text :
       {"file.root:", "file.hidden: '[x'", "file.limits.results", "file.limits.file_bytes"}) {
    EXPECT_THAT(config.error().message, HasSubstr(text));
  }
}

}  // namespace
}  // namespace filecall::worker
