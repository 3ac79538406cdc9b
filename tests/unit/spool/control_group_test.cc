// SPDX-License-Identifier: MIT
#include "os/control_group.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(ControlGroup, IsTheOneOfVersionTwo) {
  EXPECT_EQ(control_group_of("0::/system.slice/worker.service\n"), "/system.slice/worker.service");
  EXPECT_EQ(control_group_of("9:pids:/a\n1:name=systemd:/b\n0::/\n"), "/");
  EXPECT_EQ(control_group_of("9:pids:/a\n1:name=systemd:/b\n"), "");
  EXPECT_EQ(control_group_of(""), "");
  EXPECT_EQ(control_group_of("0::relative\n"), "");
}

TEST(ControlGroup, OutsideOfTheNamespaceCannotBeSeen) {
  EXPECT_EQ(control_group_of("0::/../other\n"), "");
  EXPECT_EQ(control_group_of("0::/..\n"), "");
  EXPECT_EQ(control_group_of("0::/..a\n"), "/..a");
}

TEST(ControlGroup, LiesWhereItsHierarchyIsMounted) {
  const std::string mounts =
      "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
      "38 31 0:35 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(control_group_folder("/", mounts), "/sys/fs/cgroup/unified");
  EXPECT_EQ(control_group_folder("/a/b", mounts), "/sys/fs/cgroup/unified/a/b");
  EXPECT_EQ(control_group_folder("", mounts), "");
  EXPECT_EQ(control_group_folder("/a", "31 23 0:28 / /sys rw - sysfs sysfs rw\n"), "");
  EXPECT_EQ(control_group_folder("/a", "nonsense\n\n - cgroup2 \n"), "");
}

TEST(ControlGroup, APartOfTheHierarchyMayBeMounted) {
  const std::string mounts =
      "50 1 0:38 /other /mnt/other rw - cgroup2 cgroup2 rw\n"
      "51 1 0:38 /user /mnt/with\\040blank rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(control_group_folder("/user/a", mounts), "/mnt/with blank/a");
  EXPECT_EQ(control_group_folder("/user", mounts), "/mnt/with blank");
  EXPECT_EQ(control_group_folder("/username", mounts), "");
}

TEST(ControlGroup, IsDelegatedWhenItWasGivenAndNotOnlyWritable) {
  GroupFacts facts;
  EXPECT_FALSE(is_delegated(facts));
  facts.may_write = true;
  EXPECT_TRUE(is_delegated(facts)) << "an ordinary user's own, in a parent that is not";
  facts.may_write_parent = true;
  EXPECT_FALSE(is_delegated(facts)) << "all groups of this user are writable";
  facts.is_superuser = true;
  facts.may_write_parent = false;
  EXPECT_FALSE(is_delegated(facts));
  facts.is_marked = true;
  EXPECT_TRUE(is_delegated(facts));
  facts.is_marked = false;
  facts.is_namespace_root = true;
  EXPECT_TRUE(is_delegated(facts));
  facts.may_write = false;
  EXPECT_FALSE(is_delegated(facts));
}

}  // namespace
}  // namespace filecall
