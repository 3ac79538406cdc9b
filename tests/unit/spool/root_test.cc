// SPDX-License-Identifier: MIT
#include "spool/root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_root.h"

namespace filecall::spool {
namespace {

TEST(Root, CreatesWhatIsMissingForItsOwnerAlone) {
  const TemporaryRoot parent;
  const std::string path = parent.path() + "/deep/root";
  const auto root = Root::open(path, {});
  ASSERT_TRUE(root) << root.error().message;
  const Layout layout(path);
  for (const std::string& directory :
       {path, layout.requests(), layout.responses(), layout.failed(), layout.worker_tmp(),
        layout.worker_started(), layout.worker_late(), layout.client_tmp()}) {
    struct stat info {};
    ASSERT_EQ(::stat(directory.c_str(), &info), 0) << directory;
    EXPECT_EQ(info.st_mode & 0777u, 0700u) << directory;
  }
  EXPECT_TRUE(root->directories()->staging_is_shared);
  EXPECT_TRUE(root->directories()->drop_is_shared);
}

TEST(Root, RefusesARootThatOthersMayWriteAndSaysWhatToDo) {
  const TemporaryRoot root;
  for (const mode_t mode : {0770u, 0702u, 01777u}) {
    ASSERT_EQ(::chmod(root.path().c_str(), mode), 0);
    const auto refused = Root::open(root.path(), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("chmod 0700 " + root.path()));
    EXPECT_THAT(refused.error().message, testing::HasSubstr("--allow-shared-root"));
    EXPECT_EQ(count_entries(root.path()), 0u) << "nothing is made inside it";
    ASSERT_EQ(::chmod(root.path().c_str(), mode | S_ISVTX), 0);
    EXPECT_TRUE(Root::open(root.path(), {true, true}));
    std::filesystem::remove_all(root.path() + "/requests");
    for (const auto& entry : std::filesystem::directory_iterator(root.path())) {
      std::filesystem::remove_all(entry.path());
    }
  }
  ASSERT_EQ(::chmod(root.path().c_str(), 0755), 0);
  EXPECT_TRUE(Root::open(root.path(), {}));
}

TEST(Root, RefusesADirectoryFromWhichOthersMayTakeItsFoldersAway) {
  for (const char* name : {"", "/worker", "/client"}) {
    for (const mode_t mode : {0777u, 0770u, 0702u}) {
      const TemporaryRoot root;
      ASSERT_TRUE(Root::open(root.path(), {}));
      const std::string path = root.path() + name;
      ASSERT_EQ(::chmod(path.c_str(), mode), 0);
      for (const bool create : {false, true}) {
        const auto refused = Root::open(root.path(), {true, create});
        ASSERT_FALSE(refused) << path;
        EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
        EXPECT_THAT(refused.error().message, testing::HasSubstr("chmod +t " + path));
      }
      ASSERT_EQ(::chmod(path.c_str(), mode | S_ISVTX), 0);
      EXPECT_TRUE(Root::open(root.path(), {true, true}));
    }
  }
}

TEST(Root, FollowsNoLinkInTheSteadOfOneOfItsDirectories) {
  for (const char* name :
       {"requests", "responses", "failed", "eval", "events", "runs", "paused", "worker",
        "worker/tmp", "worker/started", "worker/late", "worker/journal", "client", "client/tmp",
        "client/locks", "client/runs", "client/answers", "client/batches"}) {
    const TemporaryRoot root;
    const TemporaryRoot outside;
    ASSERT_TRUE(Root::open(root.path(), {}));
    const std::string path = root.path() + "/" + name;
    std::filesystem::remove_all(path);
    std::filesystem::create_directory_symlink(outside.path(), path);
    for (const bool allow_shared : {false, true}) {
      for (const bool create : {false, true}) {
        const auto refused = Root::open(root.path(), {allow_shared, create});
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
        EXPECT_THAT(refused.error().message, testing::HasSubstr(path + ": is a symbolic link"));
      }
    }
    EXPECT_EQ(count_entries(outside.path()), 0u) << "nothing is made where it leads";
  }
}

TEST(Root, FollowsNoLinkThatReplacesADirectoryWhileItIsOpen) {
  const TemporaryRoot place;
  auto root = Root::open(place.path(), {});
  ASSERT_TRUE(root);
  std::filesystem::rename(place.path() + "/requests", place.path() + "/before");
  std::filesystem::create_directory_symlink("before", place.path() + "/requests");
  const auto reopened = root->reopen_if_replaced();
  ASSERT_FALSE(reopened) << "though it leads to the same directory";
  EXPECT_EQ(reopened.error().code, ErrorCode::kFailedPrecondition);
}

TEST(Root, MayItselfBeReachedByALink) {
  const TemporaryRoot place;
  const std::string link = place.path() + "/link";
  std::filesystem::create_directory(place.path() + "/root");
  std::filesystem::create_directory_symlink("root", link);
  EXPECT_TRUE(Root::open(link, {}));
}

TEST(Root, RefusesADirectoryOfItThatOthersMayWrite) {
  const TemporaryRoot root;
  ASSERT_EQ(::chmod(root.path().c_str(), 0755), 0);
  ASSERT_TRUE(Root::open(root.path(), {}));
  for (const char* name :
       {"requests", "responses", "failed", "eval", "events", "runs", "paused", "worker",
        "worker/tmp", "worker/started", "worker/late", "worker/journal", "client", "client/tmp",
        "client/locks", "client/runs", "client/answers", "client/batches"}) {
    const std::string path = root.path() + "/" + name;
    std::filesystem::create_directory(path);
    ASSERT_EQ(::chmod(path.c_str(), 0777), 0) << name;
    const auto refused = Root::open(root.path(), {});
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().message, testing::HasSubstr("chmod 0700 " + path));
    ASSERT_EQ(::chmod(path.c_str(), 01777), 0);
    EXPECT_TRUE(Root::open(root.path(), {true, true})) << name;
    ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
    EXPECT_TRUE(Root::open(root.path(), {})) << name;
  }
}

TEST(Root, RefusesARootOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const TemporaryRoot root;
  ASSERT_EQ(::chown(root.path().c_str(), 12345, 12345), 0);
  const auto refused = Root::open(root.path(), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("12345"));
  EXPECT_TRUE(Root::open(root.path(), {true, true}));
}

TEST(Root, CreatesNothingWhenToldSo) {
  const TemporaryRoot root;
  const auto missing = Root::open(root.path(), {false, false});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  std::filesystem::create_directory(root.layout().requests());
  std::filesystem::create_directory(root.layout().responses());
  const auto opened = Root::open(root.path(), {false, false});
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->directories()->worker.is_open());
  EXPECT_FALSE(opened->directories()->staging_is_shared);
  EXPECT_EQ(count_entries(root.path()), 2u);
}

TEST(Root, ReopensADirectoryThatWasReplaced) {
  const TemporaryRoot directory;
  Root root = directory.open();
  const auto before = root.directories();
  EXPECT_FALSE(*root.reopen_if_replaced());
  std::filesystem::rename(directory.layout().requests(), directory.path() + "/old");
  EXPECT_TRUE(*root.reopen_if_replaced());
  EXPECT_TRUE(exists(directory.layout().requests())) << "made again";
  EXPECT_NE(root.directories(), before);
  EXPECT_FALSE(*root.reopen_if_replaced());
  EXPECT_GE(before->requests.get(), 0) << "who holds the old descriptors keeps them";
}

TEST(Root, MakesStagingAgainThatWasRemoved) {
  const TemporaryRoot directory;
  Root root = directory.open();
  for (const std::string& path :
       {directory.layout().worker_tmp(), directory.layout().worker_started(),
        directory.layout().worker_late(), directory.layout().worker_journal()}) {
    std::filesystem::remove_all(path);
    EXPECT_TRUE(*root.reopen_if_replaced(false));
    EXPECT_TRUE(exists(path));
    EXPECT_FALSE(*root.reopen_if_replaced(false));
  }
  std::filesystem::rename(directory.layout().worker(), directory.path() + "/away");
  EXPECT_FALSE(*root.reopen_if_replaced(false)) << "it may come back, or be another worker's";
}

}  // namespace
}  // namespace filecall::spool
