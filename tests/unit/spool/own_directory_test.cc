// SPDX-License-Identifier: MIT
#include "spool/own_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace filecall::spool {
namespace {

using testing::HasSubstr;

class OwnDirectory : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-own-XXXXXX";
    root_ = mkdtemp(pattern);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string path() const { return root_ + "/threads"; }

  std::string root_;
};

TEST_F(OwnDirectory, IsMadeForItsUserAloneWhenItIsFirstUsed) {
  EXPECT_EQ(open_own_directory(path(), false).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(open_own_directory(path(), true));
  struct stat info {};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777u, 0700u);
  EXPECT_TRUE(open_own_directory(path(), true));
  EXPECT_TRUE(open_own_directory(path(), false));
}

TEST_F(OwnDirectory, IsNoLinkAndNoFile) {
  std::filesystem::create_directory(root_ + "/elsewhere");
  std::filesystem::create_symlink(root_ + "/elsewhere", path());
  const auto link = open_own_directory(path(), true);
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(link.error().message, HasSubstr("threads: is a symbolic link"));
  std::filesystem::remove(path());
  std::ofstream(path()) << "x";
  EXPECT_EQ(open_own_directory(path(), true).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(OwnDirectory, IsRefusedWhenOthersMayWriteToIt) {
  std::filesystem::create_directory(path());
  ASSERT_EQ(::chmod(path().c_str(), 0770), 0);
  const auto open = open_own_directory(path(), true);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(open.error().message, HasSubstr("chmod 0700"));
}

TEST_F(OwnDirectory, IsRefusedWhenItBelongsToAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  std::filesystem::create_directory(path());
  ASSERT_EQ(::chown(path().c_str(), 12345, 12345), 0);
  const auto foreign = open_own_directory(path(), true);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(foreign.error().message, HasSubstr("belongs to"));
}

}  // namespace
}  // namespace filecall::spool
