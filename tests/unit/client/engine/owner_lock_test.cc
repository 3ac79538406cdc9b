// SPDX-License-Identifier: MIT
#include "client/engine/owner_lock.h"

#include <gtest/gtest.h>

#include "fake_worker.h"

namespace filecall::client {
namespace {

TEST(OwnerLock, IsAliveUntilItIsGone) {
  const TemporaryRoot root;
  const spool::Layout layout(root.path());
  auto mine = OwnerLock::acquire(layout);
  ASSERT_TRUE(mine);
  std::string name;
  {
    auto other = OwnerLock::acquire(layout);
    ASSERT_TRUE(other);
    name = other->name();
    EXPECT_TRUE(mine->is_alive(name));
    EXPECT_NE(name, mine->name());
  }
  EXPECT_FALSE(mine->is_alive(name));
  EXPECT_TRUE(mine->is_alive(mine->name()));
  EXPECT_FALSE(mine->is_alive("never-was"));
}

TEST(OwnerLock, SweepsTheLocksOfTheDeadOnly) {
  const TemporaryRoot root;
  const spool::Layout layout(root.path());
  auto first = OwnerLock::acquire(layout);
  ASSERT_TRUE(first);
  root.write("client/locks/dead.lock", "");
  auto second = OwnerLock::acquire(layout);
  ASSERT_TRUE(second);
  EXPECT_FALSE(root.has("client/locks/dead.lock"));
  EXPECT_TRUE(root.has("client/locks/" + first->name() + ".lock"));
}

}  // namespace
}  // namespace filecall::client
