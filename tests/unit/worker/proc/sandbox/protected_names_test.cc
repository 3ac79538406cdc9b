// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/protected_names.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>

namespace filecall::worker::guard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ProtectedNamesTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/filecall-names-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    options_.level = Level::kWorkspaceWrite;
    options_.roots = {root_};
    options_.protect = {".git"};
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  bool exists(const std::string& name) { return std::filesystem::exists(root_ + "/" + name); }

  std::string root_;
  SandboxOptions options_;
};

TEST_F(ProtectedNamesTest, AreLeftAloneWhenTheyExist) {
  std::filesystem::create_directory(root_ + "/.git");
  {
    ProtectedNames names;
    EXPECT_FALSE(names.hold(options_, root_));
    EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git"));
  }
  EXPECT_TRUE(exists(".git"));
}

TEST_F(ProtectedNamesTest, AreHeldByAnEmptyDirectoryWhileTheyAreMissing) {
  {
    ProtectedNames names;
    EXPECT_FALSE(names.hold(options_, root_));
    EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git"));
    EXPECT_TRUE(exists(".git"));
  }
  EXPECT_FALSE(exists(".git"));
}

TEST_F(ProtectedNamesTest, AreGivenBackByTheLastRun) {
  auto first = std::make_unique<ProtectedNames>();
  auto second = std::make_unique<ProtectedNames>();
  EXPECT_FALSE(first->hold(options_, root_));
  EXPECT_FALSE(second->hold(options_, root_));
  first.reset();
  EXPECT_TRUE(exists(".git"));
  second.reset();
  EXPECT_FALSE(exists(".git"));
}

TEST_F(ProtectedNamesTest, AreHeldInEachFolderDownToTheStart) {
  std::filesystem::create_directories(root_ + "/a/b");
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_ + "/a/b"));
  EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git", root_ + "/a/.git", root_ + "/a/b/.git"));
}

TEST_F(ProtectedNamesTest, MustNotBeLinks) {
  std::filesystem::create_symlink("elsewhere", root_ + "/.git");
  ProtectedNames names;
  const StepFailure failure = names.hold(options_, root_);
  EXPECT_EQ(failure.step, Step::kProtect);
  EXPECT_EQ(failure.error, ELOOP);
  EXPECT_EQ(failure.place, root_ + "/.git");
}

TEST_F(ProtectedNamesTest, CoverTheDirectoryThatAGitFileNames) {
  std::filesystem::create_directories(root_ + "/main/.git");
  std::ofstream(root_ + "/.git") << "gitdir: main/.git\n";
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_));
  EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git", root_ + "/main/.git"));
}

TEST_F(ProtectedNamesTest, CoverWhatAWorktreeSharesWithItsRepository) {
  const std::string git_directory = root_ + "/main/.git/worktrees/tree";
  std::filesystem::create_directories(git_directory);
  std::filesystem::create_directories(root_ + "/tree");
  std::ofstream(git_directory + "/commondir") << "../..\n";
  std::ofstream(root_ + "/tree/.git") << "gitdir: " << git_directory << "\n";
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_ + "/tree"));
  EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git", root_ + "/tree/.git", git_directory,
                                         root_ + "/main/.git"));
}

TEST_F(ProtectedNamesTest, CoverTheSharedDirectoryOfAGitDirectoryElsewhere) {
  char name[] = "/tmp/filecall-git-XXXXXX";
  const std::string elsewhere = ::mkdtemp(name);
  std::filesystem::create_directories(root_ + "/shared");
  std::ofstream(elsewhere + "/commondir") << root_ << "/shared";
  std::ofstream(root_ + "/.git") << "gitdir: " << elsewhere;
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_));
  EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git", root_ + "/shared"));
  std::filesystem::remove_all(elsewhere);
}

TEST_F(ProtectedNamesTest, AreNeverMadeThroughALinkThatTookAFoldersPlace) {
  char name[] = "/tmp/filecall-out-XXXXXX";
  const std::string outside = ::mkdtemp(name);
  std::filesystem::create_directories(outside + "/b");
  std::filesystem::create_directory_symlink(outside, root_ + "/a");
  ProtectedNames names;
  const StepFailure failure = names.hold(options_, root_ + "/a/b");
  EXPECT_EQ(failure.error, ELOOP);
  EXPECT_FALSE(std::filesystem::exists(outside + "/b/.git"));
  std::filesystem::remove_all(outside);
}

TEST_F(ProtectedNamesTest, ChangeNoModeButThatOfAPlaceHolder) {
  std::filesystem::create_directory(root_ + "/.git");
  std::filesystem::permissions(root_ + "/.git", std::filesystem::perms::owner_all);
  {
    ProtectedNames names;
    EXPECT_FALSE(names.hold(options_, root_));
  }
  EXPECT_EQ(std::filesystem::status(root_ + "/.git").permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(ProtectedNamesTest, LeaveAloneWhatTookTheirPlace) {
  {
    ProtectedNames names;
    EXPECT_FALSE(names.hold(options_, root_));
    std::filesystem::rename(root_ + "/.git", root_ + "/moved");
    std::filesystem::create_directory(root_ + "/.git");
  }
  EXPECT_TRUE(exists(".git")) << "it is empty, and not ours";
}

TEST_F(ProtectedNamesTest, AreHeldInAFolderThatHandsItsGroupDown) {
  ASSERT_EQ(::chmod(root_.c_str(), 02755), 0);
  auto first = std::make_unique<ProtectedNames>();
  ProtectedNames second;
  EXPECT_FALSE(first->hold(options_, root_));
  EXPECT_FALSE(second.hold(options_, root_));
  first.reset();
  EXPECT_TRUE(exists(".git")) << "the second holds it, and did not take it for a repository";
}

TEST_F(ProtectedNamesTest, NeverShowADirectoryOutsideThatAGitFileNames) {
  std::ofstream(root_ + "/.git") << "gitdir: /etc\n";
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_));
  EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git"));
}

TEST_F(ProtectedNamesTest, AreNotMissedWhereARootIs) {
  options_.roots = {root_ + "/nowhere"};
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_));
  EXPECT_THAT(names.paths(), IsEmpty());
}

TEST(FoldersToProtect, AreTheRootsAndTheWayToTheStart) {
  EXPECT_THAT(folders_to_protect({"/w", "/v"}, "/w/a/b"),
              ElementsAre("/v", "/w", "/w/a", "/w/a/b"));
  EXPECT_THAT(folders_to_protect({"/w"}, "/w"), ElementsAre("/w"));
  EXPECT_THAT(folders_to_protect({"/w"}, "/wide/a"), ElementsAre("/w"));
}

TEST_F(ProtectedNamesTest, FailWhereTheNamedDirectoryCouldBecomeAnother) {
  std::filesystem::create_directories(root_ + "/real/tree");
  std::filesystem::create_directory_symlink("real", root_ + "/link");
  for (const auto& [content, error] :
       std::initializer_list<std::pair<const char*, int>>{{"gitdir: gone/tree", ENOENT},
                                                          {"gitdir: link/tree", ELOOP},
                                                          {"gitdir: real/../real/tree", ELOOP}}) {
    std::ofstream(root_ + "/.git", std::ios::trunc) << content;
    ProtectedNames names;
    EXPECT_EQ(names.hold(options_, root_).error, error) << content;
  }
  std::ofstream(root_ + "/.git", std::ios::trunc) << "gitdir: real/tree\r\n";
  std::ofstream(root_ + "/real/tree/commondir") << "../shared\r\n";
  ProtectedNames missing;
  EXPECT_EQ(missing.hold(options_, root_).error, ENOENT) << "it could be made";
  std::filesystem::create_directories(root_ + "/real/shared");
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_));
  EXPECT_THAT(names.paths(),
              ElementsAre(root_ + "/.git", root_ + "/real/tree", root_ + "/real/shared"));
}

TEST_F(ProtectedNamesTest, DoNotMindADirectoryElsewhereThatIsMissing) {
  std::ofstream(root_ + "/.git") << "gitdir: /nowhere/at/all";
  ProtectedNames names;
  EXPECT_FALSE(names.hold(options_, root_));
  EXPECT_THAT(names.paths(), ElementsAre(root_ + "/.git"));
}

TEST_F(ProtectedNamesTest, DoNotWaitForALockThatAToolHolds) {
  ASSERT_EQ(::mkdir((root_ + "/.git").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((root_ + "/.git").c_str(), 01555), 0);
  const Fd lock(::open((root_ + "/.git").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  ProtectedNames names;
  EXPECT_EQ(names.hold(options_, root_).error, EBUSY);
}

TEST(GitDirectory, IsReadFromItsFile) {
  EXPECT_EQ(git_directory_of("gitdir: /a/b\n"), "/a/b");
  EXPECT_EQ(git_directory_of("gitdir: ../b"), "../b");
  EXPECT_EQ(git_directory_of("gitdir: ../b\r\n\n"), "../b");
  EXPECT_EQ(git_directory_of("something else"), "");
  EXPECT_EQ(git_directory_of("gitdir: \n"), "");
  EXPECT_EQ(git_common_directory_of("../..\n"), "../..");
  EXPECT_EQ(git_common_directory_of("\n"), "");
}

}  // namespace
}  // namespace filecall::worker::guard
