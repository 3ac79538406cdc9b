// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox_probe.h"

#include <gtest/gtest.h>

#include "worker/proc/sandbox/protections.h"

namespace filecall::worker {
namespace {

TEST(SandboxProbe, ReadsWhatTheGuardPrints) {
  const SandboxProbe probe = parse_probe(
      "namespaces\tok\nproc\tok\nnetwork-namespace\tok\n"
      "landlock\tFunction not implemented; a lock\tboot another kernel\n"
      "landlock-scopes\tok\nseccomp\tok\n");
  EXPECT_EQ(probe.available,
            guard::kAllProtections & ~static_cast<std::uint32_t>(guard::kLandlock));
  ASSERT_EQ(probe.missing.size(), 1u);
  EXPECT_EQ(probe.missing[0].bit, guard::kLandlock);
  EXPECT_EQ(probe.missing[0].name, "landlock");
  EXPECT_EQ(probe.missing[0].reason, "Function not implemented; a lock");
  EXPECT_NE(probe.missing[0].advice, "");
}

TEST(SandboxProbe, TakesNothingForGrantedThatIsNotSaid) {
  for (const char* text : {"", "landlock", "landlock\n", "landlock okay\n", "\t\n\n"}) {
    const SandboxProbe probe = parse_probe(text);
    EXPECT_EQ(probe.available, 0u) << text;
    EXPECT_EQ(probe.missing.size(), 6u) << text;
  }
}

TEST(SandboxProbe, AsksTheGuardOfThisBuild) {
  const auto probe = probe_sandbox(FILECALL_TEST_GUARD);
  ASSERT_TRUE(probe) << probe.error().message;
  for (const auto& missing : probe->missing) {
    EXPECT_NE(missing.reason, "the guard does not tell") << missing.name;
  }
}

TEST(SandboxProbe, SaysWhenThereIsNoGuard) {
  EXPECT_FALSE(probe_sandbox("/no/such/guard"));
  EXPECT_FALSE(probe_sandbox("/bin/false"));
}

}  // namespace
}  // namespace filecall::worker
