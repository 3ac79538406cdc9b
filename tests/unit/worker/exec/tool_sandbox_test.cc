// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const SandboxProbe kEverything{guard::kAllProtections, {}};
const SandboxProbe kNoLandlock{
    guard::kAllProtections & ~static_cast<std::uint32_t>(guard::kLandlock),
    {{guard::kLandlock, "landlock", "no such call; a lock", "upgrade"}}};

ToolConfig config(const char* level) {
  ToolConfig config;
  config.sandbox = level;
  config.roots = {"/srv"};
  return config;
}

TEST(ToolSandbox, IsWhatTheConfigurationSays) {
  ToolConfig wanted = config("workspace-write");
  wanted.network = false;
  wanted.readable = {"/opt"};
  wanted.hidden = {"/srv/spool"};
  const auto sandbox = decide_sandbox(wanted, kEverything);
  ASSERT_TRUE(sandbox);
  EXPECT_EQ(sandbox->child.level, guard::Level::kWorkspaceWrite);
  EXPECT_FALSE(sandbox->child.network);
  EXPECT_THAT(sandbox->child.roots, ElementsAre("/srv"));
  EXPECT_THAT(sandbox->child.readable, ElementsAre("/opt"));
  EXPECT_THAT(sandbox->child.hidden, ElementsAre("/srv/spool"));
  EXPECT_THAT(sandbox->child.protect, ElementsAre(".git"));
  EXPECT_THAT(sandbox->missing, IsEmpty());
}

TEST(ToolSandbox, RequiresWhatALevelIsMadeOfUnlessLessIsAccepted) {
  const SandboxProbe no_scopes{guard::kAllProtections & ~static_cast<std::uint32_t>(guard::kScopes),
                               {{guard::kScopes, "landlock-scopes", "an older kernel", "upgrade"}}};
  for (const char* level : {"read-only", "workspace-write"}) {
    const auto refused = decide_sandbox(config(level), kNoLandlock);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnimplemented);
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr("landlock"), HasSubstr("tool.require_sandbox: false")));
    EXPECT_TRUE(decide_sandbox(config(level), no_scopes)) << "few kernels have them";
    ToolConfig all = config(level);
    all.require_sandbox = true;
    EXPECT_FALSE(decide_sandbox(all, no_scopes));
  }
  EXPECT_TRUE(decide_sandbox(config("none"), kNoLandlock));
}

TEST(ToolSandbox, NamesAMissingProtectionAndIsRefusedWhenItIsRequired) {
  ToolConfig wanted = config("read-only");
  wanted.require_sandbox = false;
  const auto sandbox = decide_sandbox(wanted, kNoLandlock);
  ASSERT_TRUE(sandbox);
  EXPECT_THAT(sandbox->missing, ElementsAre("landlock: no such call; a lock"));
  EXPECT_FALSE(sandbox->child.uses(guard::kLandlock));
  wanted.require_sandbox = true;
  const auto refused = decide_sandbox(wanted, kNoLandlock);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnimplemented);
  EXPECT_THAT(refused.error().message, HasSubstr("landlock: no such call; a lock; upgrade"));
  EXPECT_TRUE(decide_sandbox(wanted, kEverything));
}

TEST(ToolSandbox, MissesNothingThatIsNotAskedFor) {
  ToolConfig wanted = config("none");
  wanted.network = false;
  wanted.require_sandbox = true;
  EXPECT_TRUE(decide_sandbox(wanted, kNoLandlock));
}

TEST(ToolSandbox, RefusesRootsThatWouldShowTooMuch) {
  for (const char* root : {"/", "/proc", "/proc/1", "/sys", "/dev", "/srv/spool", "/srv/spool/x"}) {
    ToolConfig wanted = config("read-only");
    wanted.roots = {root};
    wanted.hidden = {"/srv/spool"};
    const auto refused = decide_sandbox(wanted, kEverything);
    ASSERT_FALSE(refused) << root;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("tool.roots"));
    wanted.sandbox = "none";
    EXPECT_TRUE(decide_sandbox(wanted, kEverything)) << root;
  }
  ToolConfig around = config("read-only");
  around.hidden = {"/srv/spool"};
  EXPECT_TRUE(decide_sandbox(around, kEverything)) << "what lies within a root is only hidden";
}

TEST(ToolSandbox, RefusesItsOwnFilesWhereToolsWouldReachANewOneOfTheirName) {
  ToolConfig wanted = config("workspace-write");
  wanted.readable = {"/opt"};
  wanted.own_files = {"/etc/filecall.yaml", "/home/me/key"};
  const auto elsewhere = decide_sandbox(wanted, kEverything);
  ASSERT_TRUE(elsewhere);
  EXPECT_THAT(elsewhere->child.hidden, ElementsAre("/etc/filecall.yaml", "/home/me/key"));
  for (const char* file : {"/srv/key", "/srv/a/filecall.log", "/opt/key"}) {
    wanted.own_files = {file};
    for (const char* level : {"workspace-write", "read-only"}) {
      wanted.sandbox = level;
      wanted.hidden = {};
      const auto refused = decide_sandbox(wanted, kEverything);
      ASSERT_FALSE(refused) << file;
      EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
      EXPECT_THAT(refused.error().message, AllOf(HasSubstr(file), HasSubstr("tool.hidden")));
      wanted.hidden = {std::string(file).substr(0, std::string(file).rfind('/'))};
      if (wanted.hidden[0] == "/srv") continue;
      EXPECT_TRUE(decide_sandbox(wanted, kEverything)) << file << ": a directory hides what comes";
    }
    wanted.sandbox = "none";
    EXPECT_TRUE(decide_sandbox(wanted, kEverything)) << file;
  }
}

TEST(ToolSandbox, RefusesItsOwnFilesInTheSystemsPathsAndProgramsThatToolsCouldWrite) {
  ToolConfig wanted = config("workspace-write");
  wanted.own_files = {"/usr/local/etc/filecall/key"};
  EXPECT_FALSE(decide_sandbox(wanted, kEverything)) << "a sandbox shows /usr";
  wanted.own_files = {"/etc/filecall/key"};
  EXPECT_TRUE(decide_sandbox(wanted, kEverything));
  wanted.own_programs = {"/usr/bin/filecall-guard"};
  EXPECT_TRUE(decide_sandbox(wanted, kEverything)) << "nobody writes there";
  wanted.own_programs = {"/srv/bin/filecall-guard"};
  const auto refused = decide_sandbox(wanted, kEverything);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a tool could replace it"));
  wanted.hidden = {"/srv/bin"};
  EXPECT_TRUE(decide_sandbox(wanted, kEverything));
  wanted.hidden = {};
  wanted.sandbox = "read-only";
  EXPECT_TRUE(decide_sandbox(wanted, kEverything)) << "nobody writes in a root either";
}

TEST(PathStations, AreAllThatMayBeReplacedOnTheWay) {
  char pattern[] = "/tmp/filecall-way-XXXXXX";
  const std::string folder = canonical_path(::mkdtemp(pattern));
  std::filesystem::create_directories(folder + "/real/deep");
  std::filesystem::create_symlink("real", folder + "/link");
  std::filesystem::create_symlink(folder + "/link/deep", folder + "/chain");
  std::filesystem::create_symlink("loop", folder + "/loop");
  EXPECT_THAT(path_stations(folder + "/real/deep/key"), ElementsAre(folder + "/real/deep/key"));
  EXPECT_THAT(path_stations(folder + "/link/deep/key"),
              ElementsAre(folder + "/link", folder + "/real/deep/key"));
  EXPECT_THAT(path_stations(folder + "/chain/key"),
              ElementsAre(folder + "/chain", folder + "/link", folder + "/real/deep/key"));
  EXPECT_GT(path_stations(folder + "/loop").size(), 10u) << "and it ends";
  EXPECT_THAT(path_stations("/"), ElementsAre("/"));
  std::filesystem::remove_all(folder);
}

TEST(CanonicalPath, LeadsThroughTheDirectoryOfWhatIsNotThereYet) {
  char pattern[] = "/tmp/filecall-path-XXXXXX";
  const std::string folder = canonical_path(::mkdtemp(pattern));
  std::filesystem::create_directory(folder + "/real");
  std::filesystem::create_symlink(folder + "/real", folder + "/link");
  EXPECT_EQ(canonical_path(folder + "/link/log"), folder + "/real/log");
  EXPECT_EQ(canonical_path(folder + "/link/none/log"), folder + "/real/none/log");
  EXPECT_EQ(canonical_path("/none-of-these"), "/none-of-these");
  std::filesystem::remove_all(folder);
}

TEST(SandboxSettings, AreCheckedBeforeAnythingIsTried) {
  EXPECT_FALSE(complaint_about_sandbox(ToolConfig{}));
  ToolConfig wrong;
  wrong.require_sandbox = true;
  EXPECT_THAT(complaint_about_sandbox(wrong).value(), HasSubstr("tool.require_sandbox"));
  for (const char* name : {"", ".", "..", "a/b", "/a"}) {
    wrong = {};
    wrong.protect = {name};
    EXPECT_THAT(complaint_about_sandbox(wrong).value(), HasSubstr("tool.protect")) << name;
  }
  wrong = {};
  wrong.readable = {"relative"};
  EXPECT_THAT(complaint_about_sandbox(wrong).value(), HasSubstr("tool.readable"));
}

}  // namespace
}  // namespace filecall::worker
