// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/bare_repositories.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace filecall::worker::guard {
namespace {

namespace fs = std::filesystem;

class BareRepositoriesTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/filecall-bare-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Fd open() const { return Fd(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)); }
  void write(const std::string& name) const { std::ofstream(folder_ + "/" + name) << "x"; }
  void make_repository() const {
    write("HEAD");
    fs::create_directory(folder_ + "/objects");
    fs::create_directory(folder_ + "/refs");
  }

  std::string folder_;
};

TEST_F(BareRepositoriesTest, AreWhatGitTakesForOne) {
  EXPECT_FALSE(is_bare_repository(open()));
  write("HEAD");
  EXPECT_FALSE(is_bare_repository(open()));
  fs::create_directory(folder_ + "/objects");
  EXPECT_FALSE(is_bare_repository(open()));
  fs::create_directory_symlink("objects", folder_ + "/refs");
  EXPECT_TRUE(is_bare_repository(open())) << "git follows links here";
  fs::remove_all(folder_ + "/objects");
  EXPECT_FALSE(is_bare_repository(open()));
  write("commondir");
  EXPECT_TRUE(is_bare_repository(open())) << "the others lie where it says";
  fs::remove(folder_ + "/HEAD");
  fs::create_symlink("refs/heads/nowhere", folder_ + "/HEAD");
  EXPECT_TRUE(is_bare_repository(open())) << "a link to a branch that is not born";
  fs::remove(folder_ + "/HEAD");
  fs::create_directory(folder_ + "/HEAD");
  EXPECT_FALSE(is_bare_repository(open()));
}

TEST_F(BareRepositoriesTest, LoseTheirHeadToANameThatIsFree) {
  write("HEAD.set-aside");
  BareRepositories watched;
  watched.watch(open(), folder_);
  EXPECT_TRUE(watched.set_aside().empty());
  make_repository();
  const auto found = watched.set_aside();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].folder, folder_);
  EXPECT_EQ(found[0].head, "HEAD.set-aside-2");
  EXPECT_TRUE(fs::exists(folder_ + "/HEAD.set-aside-2"));
  EXPECT_TRUE(fs::exists(folder_ + "/HEAD.set-aside"));
  EXPECT_FALSE(is_bare_repository(open()));
}

TEST_F(BareRepositoriesTest, StayWhenTheyWereThere) {
  make_repository();
  BareRepositories watched;
  watched.watch(open(), folder_);
  EXPECT_TRUE(watched.set_aside().empty());
  EXPECT_TRUE(is_bare_repository(open()));
}

TEST_F(BareRepositoriesTest, AreSetAsideInAFolderThatAToolHasClosed) {
  BareRepositories watched;
  watched.watch(open(), folder_);
  make_repository();
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(watched.set_aside().size(), 1U);
  EXPECT_FALSE(fs::exists(folder_ + "/HEAD"));
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(folder_, fs::perms::owner_all);
}

}  // namespace
}  // namespace filecall::worker::guard
