// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/mount_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace filecall::worker::guard {
namespace {

using Kind = MountStep::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

SandboxOptions options(Level level, std::vector<std::string> roots) {
  SandboxOptions options;
  options.level = level;
  options.protections = kAllProtections;
  options.roots = std::move(roots);
  return options;
}

/// "path" or "path w" of each step of a kind, in order.
std::vector<std::string> steps(const std::vector<MountStep>& plan, Kind kind) {
  std::vector<std::string> found;
  for (const MountStep& step : plan) {
    if (step.kind == kind) found.push_back(step.path + (step.writable ? " w" : ""));
  }
  return found;
}

std::size_t index_of(const std::vector<MountStep>& plan, Kind kind, const std::string& path) {
  const auto found = std::find_if(plan.begin(), plan.end(), [&](const MountStep& step) {
    return step.kind == kind && step.path == path;
  });
  EXPECT_NE(found, plan.end()) << path;
  return static_cast<std::size_t>(found - plan.begin());
}

/// All steps of one run.
std::vector<MountStep> own_mounts(const SandboxOptions& options,
                                  const std::vector<std::string>& protected_paths) {
  std::vector<MountStep> plan = plan_private_mounts(options);
  for (MountStep& step : plan_covers(options, protected_paths)) plan.push_back(std::move(step));
  return plan;
}

TEST(MountPlan, ShowsRootsWritableOnlyAtWorkspaceWrite) {
  const auto read_only = plan_shared_mounts(options(Level::kReadOnly, {"/srv/a"}));
  EXPECT_THAT(steps(read_only, Kind::kBind), ElementsAre("/srv/a"));
  const auto writable = plan_shared_mounts(options(Level::kWorkspaceWrite, {"/srv/a"}));
  EXPECT_THAT(steps(writable, Kind::kBind), ElementsAre("/srv/a w"));
}

TEST(MountPlan, HoldsNoSecretsOfTheSystem) {
  const auto shown = steps(plan_shared_mounts(options(Level::kReadOnly, {})), Kind::kSystem);
  for (const std::string& path : shown) {
    EXPECT_FALSE(is_beneath("/etc/shadow", path)) << path;
    EXPECT_FALSE(is_beneath("/etc/ssl/private", path)) << path;
    EXPECT_FALSE(is_beneath("/etc/ssh", path)) << path;
    EXPECT_FALSE(is_beneath("/home", path) || is_beneath("/root", path)) << path;
    EXPECT_FALSE(is_beneath("/var", path) || is_beneath("/run", path)) << path;
  }
}

TEST(MountPlan, LeavesOutWhatItsParentShowsInTheSameWay) {
  auto wanted = options(Level::kWorkspaceWrite, {"/srv/a/deep", "/srv/a", "/srv/ab"});
  wanted.readable = {"/opt", "/opt/tool", "/srv/a/fixed", "/srv/ab", "/data"};
  wanted.roots.push_back("/data/out");
  EXPECT_THAT(steps(plan_shared_mounts(wanted), Kind::kBind),
              ElementsAre("/data", "/data/out w", "/opt", "/srv/a w", "/srv/a/fixed", "/srv/ab w"));
}

TEST(MountPlan, SharesNothingThatARunCanWriteButTheRoots) {
  auto wanted = options(Level::kWorkspaceWrite, {"/srv"});
  wanted.readable = {"/opt"};
  for (const MountStep& step : plan_shared_mounts(wanted)) {
    if (step.kind == Kind::kDevice) continue;
    EXPECT_EQ(step.writable, step.path == "/srv") << step.path;
    EXPECT_NE(step.kind, Kind::kTmpfs);
    EXPECT_NE(step.kind, Kind::kTerminals);
  }
  const auto own = own_mounts(wanted, {});
  EXPECT_THAT(steps(own, Kind::kTmpfs), ElementsAre("/tmp w", "/dev/shm w"));
  EXPECT_THAT(steps(own, Kind::kTerminals), ElementsAre("/dev/pts w"));
}

TEST(MountPlan, TakesNothingOfTheHostForOneRun) {
  auto wanted = options(Level::kWorkspaceWrite, {"/srv", "/tmp/work"});
  wanted.readable = {"/opt"};
  wanted.hidden = {"/srv/spool"};
  for (const MountStep& step : own_mounts(wanted, {"/srv/.git"})) {
    EXPECT_NE(step.kind, Kind::kSystem) << step.path;
    EXPECT_NE(step.kind, Kind::kDevice) << step.path;
    EXPECT_NE(step.kind, Kind::kBind) << step.path;
  }
}

TEST(MountPlan, IsTheSameForAllRunsOfAConfigurationButForTheProtectedNames) {
  auto wanted = options(Level::kWorkspaceWrite, {"/srv"});
  EXPECT_EQ(plan_shared_mounts(wanted), plan_shared_mounts(wanted));
  auto other = wanted;
  other.level = Level::kReadOnly;
  EXPECT_NE(plan_shared_mounts(wanted), plan_shared_mounts(other));
  EXPECT_NE(plan_covers(wanted, {"/srv/.git"}), plan_covers(wanted, {}));
}

TEST(MountPlan, CarriesWhatLiesBeneathAMountOfTheRun) {
  auto wanted = options(Level::kWorkspaceWrite, {"/tmp/work", "/srv", "/dev/shm/work"});
  wanted.readable = {"/tmp/work/fixed", "/tmp/tools"};
  const auto plan = own_mounts(wanted, {"/tmp/work/.git"});
  EXPECT_THAT(steps(plan, Kind::kCarry),
              ElementsAre("/tmp/tools", "/tmp/work w", "/dev/shm/work w"));
  EXPECT_LT(index_of(plan, Kind::kTmpfs, "/tmp"), index_of(plan, Kind::kCarry, "/tmp/work"));
  EXPECT_LT(index_of(plan, Kind::kCarry, "/tmp/work"),
            index_of(plan, Kind::kReadOnly, "/tmp/work/.git"));
}

TEST(MountPlan, PutsNothingOfARunAboveWhatTheConfigurationShows) {
  auto wanted = options(Level::kReadOnly, {"/tmp", "/dev/shm/work"});
  wanted.readable = {"/dev/pts", "/"};  // The whole tree cannot be a part of itself.
  EXPECT_THAT(steps(plan_shared_mounts(wanted), Kind::kBind),
              ElementsAre("/dev/pts", "/dev/shm/work", "/tmp"));
  const auto plan = own_mounts(wanted, {});
  EXPECT_THAT(steps(plan, Kind::kTmpfs), ElementsAre("/dev/shm w"));
  EXPECT_THAT(steps(plan, Kind::kTerminals), IsEmpty());
  EXPECT_THAT(steps(plan, Kind::kCarry), ElementsAre("/dev/shm/work"));
}

TEST(MountPlan, HidesOnlyWhatWouldBeSeen) {
  auto wanted = options(Level::kReadOnly, {"/srv"});
  wanted.readable = {"/opt"};
  EXPECT_THAT(steps(plan_shared_mounts(wanted), Kind::kCovers), IsEmpty());
  wanted.hidden = {"/srv/spool", "/etc/filecall.yaml", "/opt/key", "/srvx", "/usr/local/spool"};
  EXPECT_THAT(steps(own_mounts(wanted, {}), Kind::kHide),
              ElementsAre("/srv/spool", "/opt/key", "/usr/local/spool"));
  EXPECT_THAT(steps(plan_shared_mounts(wanted), Kind::kCovers), ElementsAre(""));
}

TEST(MountPlan, PinsTheFoldersAboveWhatIsHiddenOrProtectedInAWritableRoot) {
  auto wanted = options(Level::kWorkspaceWrite, {"/srv"});
  wanted.hidden = {"/srv/a/b/spool", "/srv/top"};
  const auto plan = own_mounts(wanted, {"/srv/a/repo/.git", "/srv/.git"});
  EXPECT_THAT(steps(plan, Kind::kPin), ElementsAre("/srv/a w", "/srv/a/b w", "/srv/a/repo w"));
  EXPECT_THAT(steps(plan, Kind::kReadOnly), ElementsAre("/srv/a/repo/.git", "/srv/.git"));
  // A later mount would cover an earlier one beneath it.
  EXPECT_LT(index_of(plan, Kind::kPin, "/srv/a/repo"),
            index_of(plan, Kind::kReadOnly, "/srv/a/repo/.git"));
  EXPECT_LT(index_of(plan, Kind::kPin, "/srv/a/b"), index_of(plan, Kind::kHide, "/srv/a/b/spool"));
}

TEST(MountPlan, ProtectsAndPinsNothingInAReadOnlySandbox) {
  auto wanted = options(Level::kReadOnly, {"/srv"});
  wanted.hidden = {"/srv/a/spool"};
  const auto plan = own_mounts(wanted, {});
  EXPECT_THAT(steps(plan, Kind::kPin), IsEmpty());
  EXPECT_THAT(steps(plan, Kind::kReadOnly), IsEmpty());
  EXPECT_THAT(steps(plan, Kind::kHide), ElementsAre("/srv/a/spool"));
}

TEST(MountPlan, HasNoProcWhereTheMachineGivesNone) {
  auto wanted = options(Level::kReadOnly, {});
  EXPECT_THAT(steps(own_mounts(wanted, {}), Kind::kProc), ElementsAre("/proc"));
  EXPECT_THAT(steps(plan_shared_mounts(wanted), Kind::kProc), ElementsAre("/proc"));
  wanted.protections &= ~static_cast<std::uint32_t>(kProc);
  EXPECT_THAT(steps(own_mounts(wanted, {}), Kind::kProc), IsEmpty());
  EXPECT_THAT(steps(plan_shared_mounts(wanted), Kind::kProc), IsEmpty());
}

TEST(Beneath, CountsWholeNames) {
  EXPECT_TRUE(is_beneath("/a/b", "/a"));
  EXPECT_TRUE(is_beneath("/a", "/a"));
  EXPECT_TRUE(is_beneath("/a", "/"));
  EXPECT_FALSE(is_beneath("/ab", "/a"));
  EXPECT_FALSE(is_beneath("/", "/a"));
}

}  // namespace
}  // namespace filecall::worker::guard
