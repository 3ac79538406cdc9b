// SPDX-License-Identifier: MIT
#include "spool/lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "temporary_root.h"

namespace filecall::spool {
namespace {

TEST(FileLock, ExcludesUntilItIsDestroyed) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/lock";
  EXPECT_FALSE(*FileLock::is_held(path));
  {
    const auto lock = FileLock::acquire(path);
    ASSERT_TRUE(lock);
    EXPECT_TRUE(*FileLock::is_held(path));
    const auto second = FileLock::acquire(path, milliseconds(20));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_FALSE(*FileLock::is_held(path));
  EXPECT_TRUE(FileLock::acquire(path));
  EXPECT_TRUE(exists(path));
}

TEST(FileLock, IsFreedByAnyDeathOfItsHolder) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/lock";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::acquire(path);
    const char byte = lock ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  EXPECT_TRUE(*FileLock::is_held(path));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(FileLock::acquire(path));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FileLock, NoticesThatItsFileWasReplaced) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/lock";
  const auto lock = FileLock::acquire(path);
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->is_still_at(path));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_FALSE(lock->is_still_at(path));
  write_text(path, "");
  EXPECT_FALSE(lock->is_still_at(path));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::symlink("lock", path.c_str()), 0);
  EXPECT_FALSE(lock->is_still_at(path)) << "a link to itself";
}

}  // namespace
}  // namespace filecall::spool
