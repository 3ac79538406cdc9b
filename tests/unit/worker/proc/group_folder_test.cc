// SPDX-License-Identifier: MIT
#include "worker/proc/guard/group_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "os/unique_fd.h"

namespace filecall::worker::guard {
namespace {

/// A folder that has the files of a control group, without a kernel behind them.
class GroupFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/filecall-group-XXXXXX";
    path_ = ::mkdtemp(name);
    fd_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  void put(const std::string& name, const std::string& text) {
    std::ofstream(path_ / name) << text;
  }
  std::string get(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
  }
  int fd() const { return fd_.get(); }

  std::filesystem::path path_;
  UniqueFd fd_;
};

TEST_F(GroupFolder, TakesTheLimitsThatItHasFilesFor) {
  Limits limits;
  limits.memory_bytes = 1 << 30;
  limits.processes = 64;
  EXPECT_EQ(set_group_limits(fd(), limits), 0) << "no controller, no limit";
  EXPECT_FALSE(std::filesystem::exists(path_ / "pids.max"));
  put("memory.max", "");
  put("pids.max", "");
  EXPECT_EQ(set_group_limits(fd(), limits), 0);
  EXPECT_EQ(get("memory.max"), "1073741824");
  EXPECT_EQ(get("pids.max"), "64");
}

TEST_F(GroupFolder, LeavesLimitsThatNobodyNamed) {
  put("memory.max", "");
  put("pids.max", "");
  Limits limits;
  limits.processes = 0;
  EXPECT_EQ(set_group_limits(fd(), limits), 0);
  EXPECT_EQ(get("memory.max"), "");
  EXPECT_EQ(get("pids.max"), "0");
}

TEST_F(GroupFolder, ALimitThatCannotBeSetIsAnError) {
  std::filesystem::create_directory(path_ / "pids.max");
  Limits limits;
  limits.processes = 64;
  EXPECT_EQ(set_group_limits(fd(), limits), EISDIR);
}

TEST_F(GroupFolder, NoLinkIsWrittenThrough) {
  put("target", "");
  std::filesystem::create_symlink("target", path_ / "memory.max");
  Limits limits;
  limits.memory_bytes = 1;
  EXPECT_EQ(set_group_limits(fd(), limits), ELOOP);
  EXPECT_EQ(get("target"), "");
}

TEST_F(GroupFolder, IsEmptyWhenItsEventsSaySo) {
  put("cgroup.events", "populated 1\nfrozen 0\n");
  EXPECT_FALSE(is_group_empty(fd()));
  put("cgroup.events", "populated 0\nfrozen 0\n");
  EXPECT_TRUE(is_group_empty(fd()));
}

TEST_F(GroupFolder, IsRemovedWithWhatWasMadeInIt) {
  std::filesystem::create_directories(path_ / "run" / "a" / "b");
  std::filesystem::create_directories(path_ / "run" / "c");
  EXPECT_TRUE(end_group(fd(), "run"));
  EXPECT_FALSE(std::filesystem::exists(path_ / "run"));
  EXPECT_TRUE(end_group(fd(), "run")) << "it is not there";
}

TEST_F(GroupFolder, WhoIsInItIsKilledBeforeItIsRemoved) {
  std::filesystem::create_directory(path_ / "run");
  put("run/cgroup.events", "populated 1\n");
  put("run/cgroup.kill", "");
  EXPECT_FALSE(end_group(fd(), "run")) << "they have not ended yet";
  EXPECT_EQ(get("run/cgroup.kill"), "1");
}

TEST_F(GroupFolder, ALinkIsNoGroup) {
  std::filesystem::create_directories(path_ / "elsewhere" / "a");
  std::filesystem::create_directory_symlink("elsewhere", path_ / "run");
  EXPECT_FALSE(end_group(fd(), "run"));
  EXPECT_TRUE(std::filesystem::exists(path_ / "elsewhere" / "a"));
}

}  // namespace
}  // namespace filecall::worker::guard
