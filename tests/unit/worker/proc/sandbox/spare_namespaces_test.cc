// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/spare_namespaces.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>

#include "worker/proc/sandbox/prepared_tree.h"

namespace filecall::worker::guard {
namespace {

class SpareNamespacesTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.level = Level::kReadOnly;
    options_.network = false;
    options_.protections = kAllProtections & ~static_cast<std::uint32_t>(kProc);
    prepared_ = tree_.ready_for(options_);
    if (prepared_.mounts < 0) GTEST_SKIP() << "no namespaces can be had here";
  }

  /// Asks for a set until it is made; at most twenty seconds.
  SpareNamespaces::Set await_set() {
    spare_.make_for(options_, prepared_);
    const time_t give_up = ::time(nullptr) + 20;
    while (::time(nullptr) < give_up) {
      if (SpareNamespaces::Set set = spare_.take(options_, prepared_); set.ipc.is_open()) {
        return set;
      }
    }
    ADD_FAILURE() << "no set is made";
    return {};
  }
  /// Such a run gets nothing of a set that was made for others, and it is let go of.
  void expect_none_for(const SandboxOptions& options, const Prepared& prepared) {
    spare_.make_for(options_, prepared_);
    const time_t give_up = ::time(nullptr) + 20;
    while (::time(nullptr) < give_up && !spare_.is_idle()) {
      EXPECT_FALSE(spare_.take(options, prepared).ipc.is_open());
    }
    EXPECT_TRUE(spare_.is_idle());
    EXPECT_FALSE(spare_.take(options_, prepared_).ipc.is_open());
  }
  static ino_t number(const Fd& fd) {
    struct stat info {};
    EXPECT_EQ(::fstat(fd.get(), &info), 0);
    return info.st_ino;
  }
  static ino_t own(const char* name) {
    struct stat info {};
    EXPECT_EQ(::stat(name, &info), 0);
    return info.st_ino;
  }

  SandboxOptions options_;
  PreparedTree tree_;
  Prepared prepared_;
  SpareNamespaces spare_;
};

TEST_F(SpareNamespacesTest, AreNoneUntilTheyAreMade) {
  EXPECT_FALSE(spare_.take(options_, prepared_).ipc.is_open());
}

TEST_F(SpareNamespacesTest, AreNotThoseOfThisProcess) {
  const auto set = await_set();
  EXPECT_NE(number(set.ipc), own("/proc/self/ns/ipc"));
  EXPECT_NE(number(set.network), own("/proc/self/ns/net"));
}

TEST_F(SpareNamespacesTest, AreHandedOutOnce) {
  const auto first = await_set();
  EXPECT_FALSE(spare_.take(options_, prepared_).ipc.is_open()) << "the set is gone";
  const auto second = await_set();
  EXPECT_NE(number(second.ipc), number(first.ipc));
  EXPECT_NE(number(second.network), number(first.network));
}

TEST_F(SpareNamespacesTest, OfARunWithANetworkHaveNone) {
  options_.network = true;
  EXPECT_FALSE(await_set().network.is_open());
}

TEST_F(SpareNamespacesTest, AreNotGivenToRunsOfAnotherKind) {
  SandboxOptions other = options_;
  other.network = true;
  expect_none_for(other, prepared_);
}

TEST_F(SpareNamespacesTest, OfAnotherTreeMayBelongToAnotherUserNamespace) {
  Prepared later = prepared_;
  ++later.generation;
  expect_none_for(options_, later);
}

TEST_F(SpareNamespacesTest, AreNotMadeForRunsThatMakeTheirOwnTree) {
  spare_.make_for(options_, Prepared{});
  EXPECT_TRUE(spare_.is_idle());
}

}  // namespace
}  // namespace filecall::worker::guard
