// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/landlock_rules.h"

#include <gtest/gtest.h>

namespace filecall::worker::guard {
namespace {

SandboxOptions asking(Level level, std::uint32_t protections) {
  SandboxOptions options;
  options.level = level;
  options.protections = protections;
  options.roots = {"/srv"};
  options.readable = {"/opt"};
  return options;
}

std::uint64_t access_to(const LandlockRules& rules, const std::string& path) {
  std::uint64_t access = 0;
  for (const LandlockRule& rule : rules.rules) {
    if (is_beneath(path, rule.path)) access |= rule.access;
  }
  return access;
}

TEST(LandlockRules, LetOnlyRootsAndOwnPlacesBeWritten) {
  const auto rules = make_landlock_rules(asking(Level::kWorkspaceWrite, kAllProtections), 7);
  EXPECT_TRUE(access_to(rules, "/srv/x") & kWriteFile);
  EXPECT_TRUE(access_to(rules, "/tmp/x") & kWriteFile);
  EXPECT_FALSE(access_to(rules, "/opt/x") & kWriteFile);
  EXPECT_FALSE(access_to(rules, "/usr/x") & kWriteFile);
  EXPECT_FALSE(access_to(rules, "/proc/sys") & kWriteFile);
}

TEST(LandlockRules, FollowLinksOfTheSystemAlone) {
  for (const std::uint32_t protections : {std::uint32_t{kAllProtections}, kLandlock | kSeccomp}) {
    const auto rules = make_landlock_rules(asking(Level::kWorkspaceWrite, protections), 7);
    for (const LandlockRule& rule : rules.rules) {
      const bool is_configured = rule.path == "/srv" || rule.path == "/opt";
      EXPECT_FALSE(is_configured && rule.follows_links) << rule.path;
      EXPECT_TRUE(rule.path != "/lib" || rule.follows_links);
    }
  }
}

TEST(LandlockRules, LetNothingButTmpBeWrittenAtReadOnly) {
  const auto rules = make_landlock_rules(asking(Level::kReadOnly, kAllProtections), 7);
  EXPECT_FALSE(access_to(rules, "/srv/x") & kWriteFile);
  EXPECT_TRUE(access_to(rules, "/srv/x") & kReadFile);
}

TEST(LandlockRules, ListWhatMayBeReadWhenTheyAreTheOnlyLock) {
  const auto rules = make_landlock_rules(asking(Level::kWorkspaceWrite, kLandlock | kSeccomp), 7);
  EXPECT_EQ(access_to(rules, "/home/x"), 0u);
  EXPECT_EQ(access_to(rules, "/etc/shadow"), 0u);
  EXPECT_EQ(access_to(rules, "/tmp/x"), 0u);
  EXPECT_TRUE(access_to(rules, "/usr/bin/true") & kExecute);
  EXPECT_TRUE(access_to(rules, "/opt/x") & kReadFile);
  EXPECT_TRUE(access_to(rules, "/srv/x") & kWriteFile);
}

TEST(LandlockRules, AskAKernelOnlyForWhatItKnows) {
  for (int abi = 1; abi <= 12; ++abi) {
    const auto rules = make_landlock_rules(asking(Level::kWorkspaceWrite, kAllProtections), abi);
    for (const LandlockRule& rule : rules.rules) {
      EXPECT_EQ(rule.access & ~known_file_rights(abi), 0u) << abi << " " << rule.path;
    }
    EXPECT_EQ(rules.network, 0u);
    EXPECT_EQ(rules.scopes != 0, abi >= 6);
  }
  EXPECT_EQ(known_file_rights(1), 0x1fffu);
  EXPECT_EQ(known_file_rights(2), 0x3fffu);
  EXPECT_EQ(known_file_rights(3), 0x7fffu);
  EXPECT_EQ(known_file_rights(5), 0xffffu);
  EXPECT_EQ(known_file_rights(8), 0xffffu);
  EXPECT_EQ(known_file_rights(9), 0x1ffffu);
}

TEST(LandlockRules, LeaveSocketsOfOthersToThoseWhoMayWriteBesideThem) {
  const auto written = make_landlock_rules(asking(Level::kWorkspaceWrite, kAllProtections), 9);
  EXPECT_TRUE(access_to(written, "/srv/socket") & kResolveUnix);
  EXPECT_FALSE(access_to(written, "/opt/socket") & kResolveUnix);
  const auto read = make_landlock_rules(asking(Level::kReadOnly, kAllProtections), 9);
  EXPECT_FALSE(access_to(read, "/srv/socket") & kResolveUnix);
}

TEST(LandlockRules, RefuseTcpAndUdpWithoutANetwork) {
  auto wanted = asking(Level::kReadOnly, kAllProtections);
  wanted.network = false;
  EXPECT_EQ(make_landlock_rules(wanted, 4).network, 3u);
  EXPECT_EQ(make_landlock_rules(wanted, 9).network, 3u);
  EXPECT_EQ(make_landlock_rules(wanted, 10).network, 15u);
  EXPECT_EQ(make_landlock_rules(wanted, 3).network, 0u);
}

}  // namespace
}  // namespace filecall::worker::guard
