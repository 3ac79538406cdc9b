// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/prepared_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace filecall::worker::guard {
namespace {

namespace fs = std::filesystem;

class PreparedTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/var/tmp/filecall-tree-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = fs::canonical(name);
    fs::create_directory(folder_ + "/work");
    options_.level = Level::kWorkspaceWrite;
    options_.protections = kAllProtections & ~static_cast<std::uint32_t>(kProc);
    options_.roots = {folder_ + "/work"};
    if (tree_.ready_for(options_).mounts < 0) GTEST_SKIP() << "no namespaces can be had here";
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A copy, so that the kernel gives its number to no other.
  Fd hold() { return Fd(::fcntl(tree_.ready_for(options_).mounts, F_DUPFD_CLOEXEC, 3)); }
  static ino_t number(const Fd& fd) {
    struct stat info {};
    EXPECT_EQ(::fstat(fd.get(), &info), 0);
    return info.st_ino;
  }

  /// True when `look` says so in a process that sees the tree, as a run does.
  bool sees(const std::function<bool()>& look) {
    const Prepared prepared = tree_.ready_for(options_);
    // Not fork(): a sanitizer starts a thread in its child, and a process of two threads cannot
    // enter a mount namespace (man 2 setns).
    const auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (child == 0) {
      if (prepared.user >= 0 && ::setns(prepared.user, CLONE_NEWUSER) != 0) ::_exit(2);
      bool has_tree = false;
      if (enter_tree(prepared, &has_tree) || !has_tree) ::_exit(3);
      ::_exit(look() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << "it is not in the tree";
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  bool shows(const std::string& path) {
    return sees([&] { return ::access(path.c_str(), F_OK) == 0; });
  }

  std::string folder_;
  SandboxOptions options_;
  PreparedTree tree_;
};

TEST_F(PreparedTreeTest, ShowsTheSystemAndTheRootsAndNothingElse) {
  EXPECT_TRUE(shows("/usr/bin"));
  EXPECT_TRUE(shows(folder_ + "/work"));
  std::ofstream(folder_ + "/secret") << "x";
  EXPECT_FALSE(shows(folder_ + "/secret"));
  EXPECT_FALSE(shows("/etc/shadow"));
  EXPECT_FALSE(shows("/.host"));
}

TEST_F(PreparedTreeTest, IsMadeOnceWhileNothingChanges) {
  const Fd first = hold();
  EXPECT_EQ(number(hold()), number(first));
  std::ofstream(folder_ + "/work/new") << "x";
  EXPECT_EQ(number(hold()), number(first)) << "what is within a mount is seen anyway";
  EXPECT_TRUE(shows(folder_ + "/work/new"));
}

TEST_F(PreparedTreeTest, IsMadeAgainWhenAPathNamesAnotherFile) {
  const Fd first = hold();
  fs::rename(folder_ + "/work", folder_ + "/old");
  fs::create_directory(folder_ + "/work");
  std::ofstream(folder_ + "/work/here") << "x";
  EXPECT_TRUE(shows(folder_ + "/work/here"));
  EXPECT_NE(number(hold()), number(first));
}

TEST_F(PreparedTreeTest, IsMadeAgainForOtherOptions) {
  std::ofstream(folder_ + "/work/file") << "x";
  const auto can_write = [&] { return ::access((folder_ + "/work/file").c_str(), W_OK) == 0; };
  EXPECT_TRUE(sees(can_write));
  options_.level = Level::kReadOnly;
  EXPECT_FALSE(sees(can_write));
}

TEST_F(PreparedTreeTest, WhatOneRunMountsIsNotInTheNext) {
  const std::string work = folder_ + "/work";
  EXPECT_TRUE(sees([&] {
    return ::mount("tmpfs", work.c_str(), "tmpfs", 0, nullptr) == 0 &&
           ::mkdir((work + "/mine").c_str(), 0700) == 0;
  }));
  EXPECT_FALSE(shows(work + "/mine"));
  EXPECT_FALSE(fs::exists(work + "/mine"));
}

TEST_F(PreparedTreeTest, CannotBeWrittenByARun) {
  EXPECT_FALSE(sees([] { return ::mkdir("/mine", 0700) == 0; }));
  EXPECT_FALSE(sees([] { return ::mkdir("/tmp/mine", 0700) == 0; })) << "a run's own lies above it";
}

TEST_F(PreparedTreeTest, IsNoneForRunsWithoutTheFilterOfSystemCalls) {
  options_.protections &= ~static_cast<std::uint32_t>(kSeccomp);
  EXPECT_LT(tree_.ready_for(options_).mounts, 0);
}

TEST_F(PreparedTreeTest, IsNoneForRunsWithoutASandbox) {
  EXPECT_LT(tree_.ready_for(SandboxOptions{}).mounts, 0);
}

TEST_F(PreparedTreeTest, IsLetGoOf) {
  tree_.forget();
  EXPECT_TRUE(shows(folder_ + "/work")) << "and made again";
}

}  // namespace
}  // namespace filecall::worker::guard
