// SPDX-License-Identifier: MIT
#include <map>
#include <sstream>

#include "sandboxed_child_fixture.h"

namespace filecall::worker {
namespace {

namespace fs = std::filesystem;

class SandboxedChildTest : public SandboxedChildFixture {};

TEST_F(SandboxedChildTest, TwoRunsAtOnceShareNoNamespace) {
  for (int round = 0; round < 2; ++round) {  // The second: with all that is prepared ahead.
    start(confined(std::string(kTellNamespaces) +
                   " >first; echo 1 >told; while [ ! -e go ]; do sleep 0.01; done"));
    pid_in("told");
    std::optional<ChildResult> ended;
    auto second = Child::start(&loop_, server_, confined(kTellNamespaces),
                               [&](const ChildResult& result) { ended = result; });
    ASSERT_TRUE(second.has_value()) << second.error().message;
    wait_until([&] { return ended.has_value(); }, "the second has ended");
    std::ifstream first(folder_ + "/first");
    std::istringstream told((*second)->standard_output().render());
    const auto ours = namespaces(first);
    const auto theirs = namespaces(told);
    ASSERT_EQ(ours.size(), 5U);
    ASSERT_EQ(theirs.size(), 5U);
    for (const auto& [name, text] : ours) {
      EXPECT_NE(theirs.at(name), text);
      std::error_code error;
      EXPECT_NE(fs::read_symlink("/proc/self/ns/" + name, error), text) << "the worker's";
    }
    std::ofstream(folder_ + "/go") << "";
    wait_until([this] { return result_.has_value(); }, "the first has ended");
    result_.reset();
    for (const char* name : {"go", "told", "first"}) fs::remove(folder_ + "/" + name);
  }
}

TEST_F(SandboxedChildTest, AFileThatIsReplacedIsSeenByTheNextRun) {
  const std::string file = folder_ + "-readable";
  std::ofstream(file) << "old\n";
  sandbox_.readable = {file};
  EXPECT_EQ(output_of("cat " + file), "old\n");
  std::ofstream(file + ".new") << "new\n";
  fs::rename(file + ".new", file);
  EXPECT_EQ(output_of("cat " + file), "new\n");
  fs::remove(file);
  EXPECT_EQ(output_of("test -e " + file + " || echo gone"), "gone\n");
  std::ofstream(file) << "back\n";
  EXPECT_EQ(output_of("cat " + file), "back\n");
  fs::remove(file);
}

TEST_F(SandboxedChildTest, ARootThatIsReplacedIsSeenByTheNextRun) {
  std::ofstream(folder_ + "/name") << "old\n";
  EXPECT_EQ(output_of("cat name"), "old\n");
  fs::rename(folder_, folder_ + "-moved");
  fs::create_directory(folder_);
  std::ofstream(folder_ + "/name") << "new\n";
  EXPECT_EQ(output_of("cat name"), "new\n");
  fs::remove_all(folder_ + "-moved");
}

TEST_F(SandboxedChildTest, TmpIsEmptyForEachRun) {
  const std::string script = "ls -A /dev/shm; touch /dev/shm/mine /tmp/mine; ls /tmp | wc -l";
  EXPECT_EQ(output_of(script), "2\n") << "the root, which lies there, and what is made";
  EXPECT_EQ(output_of(script), "2\n");
}

TEST_F(SandboxedChildTest, AServerThatIsReplacedMakesWhatItNeedsAgain) {
  output_of("true");
  server_->end();
  EXPECT_EQ(output_of("echo on"), "on\n");
}

}  // namespace
}  // namespace filecall::worker
