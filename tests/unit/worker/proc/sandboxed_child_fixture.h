// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "child_fixture.h"
#include "worker/proc/sandbox_probe.h"

namespace filecall::worker {

/// Runs of one server in a sandbox.
class SandboxedChildFixture : public ChildFixture {
 protected:
  void SetUp() override {
    ChildFixture::SetUp();
    folder_ = std::filesystem::canonical(folder_);
    const auto probe = probe_sandbox(FILECALL_TEST_GUARD);
    ASSERT_TRUE(probe.has_value());
    sandbox_.level = guard::Level::kWorkspaceWrite;
    sandbox_.network = false;
    sandbox_.protections = probe->available;
    sandbox_.roots = {folder_};
    constexpr auto kNeeded = guard::kNamespaces | guard::kProc | guard::kNoNetwork;
    if ((probe->available & kNeeded) != kNeeded) GTEST_SKIP() << "no namespaces can be had here";
  }

  ChildSpec confined(const std::string& script) const {
    ChildSpec spec = shell(script);
    spec.sandbox = sandbox_;
    return spec;
  }
  std::string output_of(const std::string& script) {
    EXPECT_EQ(run(confined(script)).exit_code, 0) << err();
    return out();
  }
  /// Name and number of each namespace, as a run printed them.
  static std::map<std::string, std::string> namespaces(std::istream& lines) {
    std::map<std::string, std::string> found;
    for (std::string line; std::getline(lines, line);) {
      found[line.substr(0, line.find(':'))] = line;
    }
    return found;
  }

  static constexpr const char* kTellNamespaces =
      "for n in mnt pid ipc net uts; do readlink /proc/self/ns/$n; done";
  ChildSandbox sandbox_;
};

}  // namespace filecall::worker
