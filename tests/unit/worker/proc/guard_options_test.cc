// SPDX-License-Identifier: MIT
#include "worker/proc/guard/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filecall::worker::guard {
namespace {

struct Parsed {
  std::vector<std::string> words;
  std::vector<char*> argv;
  Options options;
  const char* complaint;

  explicit Parsed(std::vector<std::string> given) : words(std::move(given)) {
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    complaint = parse_options(static_cast<int>(words.size()), argv.data(), &options);
  }
};

TEST(GuardOptions, AreReadUpToTheProgram) {
  const Parsed parsed({"guard", "--memory=100", "--cpu=2", "--files=3", "--file-bytes=4",
                       "--processes=5", "--kill-delay-ms=6", "/bin/p", "p", "--memory=7"});
  ASSERT_EQ(parsed.complaint, nullptr);
  EXPECT_EQ(parsed.options.limits.memory_bytes, 100);
  EXPECT_EQ(parsed.options.limits.cpu_seconds, 2);
  EXPECT_EQ(parsed.options.limits.files, 3);
  EXPECT_EQ(parsed.options.limits.file_bytes, 4);
  EXPECT_EQ(parsed.options.limits.processes, 5);
  EXPECT_EQ(parsed.options.kill_delay_ms, 6);
  EXPECT_STREQ(parsed.options.program, "/bin/p");
  EXPECT_STREQ(parsed.options.argv[0], "p");
  EXPECT_STREQ(parsed.options.argv[1], "--memory=7");
  EXPECT_EQ(parsed.options.argv[2], nullptr);
}

TEST(GuardOptions, TakeASandbox) {
  const Parsed parsed({"guard", "--sandbox=workspace-write", "--no-network", "--protections=63",
                       "--tmp-bytes=9", "--root=/a", "--root=/b", "--readable=/c", "--hide=/a/d",
                       "--protect=.git", "/bin/p", "p"});
  ASSERT_EQ(parsed.complaint, nullptr);
  const SandboxOptions& sandbox = parsed.options.sandbox;
  EXPECT_EQ(sandbox.level, Level::kWorkspaceWrite);
  EXPECT_FALSE(sandbox.network);
  EXPECT_EQ(sandbox.protections, kAllProtections);
  EXPECT_EQ(sandbox.tmp_bytes, 9);
  EXPECT_EQ(sandbox.roots, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(sandbox.readable, std::vector<std::string>{"/c"});
  EXPECT_EQ(sandbox.hidden, std::vector<std::string>{"/a/d"});
  EXPECT_EQ(sandbox.protect, std::vector<std::string>{".git"});
  EXPECT_FALSE(Parsed({"guard", "/bin/p", "p"}).options.sandbox.is_on());
}

TEST(GuardOptions, LeaveLimitsAloneThatAreNotGiven) {
  const Parsed parsed({"guard", "/bin/p", "p"});
  ASSERT_EQ(parsed.complaint, nullptr);
  EXPECT_EQ(parsed.options.limits.memory_bytes, -1);
  EXPECT_EQ(parsed.options.kill_delay_ms, 2000);
}

TEST(GuardOptions, NameTheWordThatIsWrong) {
  EXPECT_STREQ(Parsed({"guard", "--memory=x", "/bin/p", "p"}).complaint, "--memory=x");
  EXPECT_STREQ(Parsed({"guard", "--memory=-1", "/bin/p", "p"}).complaint, "--memory=-1");
  EXPECT_STREQ(Parsed({"guard", "--memory=", "/bin/p", "p"}).complaint, "--memory=");
  EXPECT_STREQ(Parsed({"guard", "--unknown=1", "/bin/p", "p"}).complaint, "--unknown=1");
  EXPECT_STREQ(Parsed({"guard", "--sandbox=some", "/bin/p", "p"}).complaint, "--sandbox=some");
  EXPECT_STREQ(Parsed({"guard", "--root=", "/bin/p", "p"}).complaint, "--root=");
  EXPECT_NE(Parsed({"guard", "/bin/p"}).complaint, nullptr);
  EXPECT_NE(Parsed({"guard"}).complaint, nullptr);
}

}  // namespace
}  // namespace filecall::worker::guard
