// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace filecall::worker {
namespace {

namespace fs = std::filesystem;

class ToolPlacesTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/filecall-places-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    fs::create_directories(folder_ + "/root/deep");
    fs::create_directories(folder_ + "/outside");
    fs::create_directory_symlink("deep", folder_ + "/root/inner");
    fs::create_directory_symlink("../outside", folder_ + "/root/out");
    fs::create_directory_symlink("/", folder_ + "/root/top");
    std::ofstream(folder_ + "/root/file") << "x";
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<OpenWorkplace> open(const std::string& below, const std::string& bounds = ".") const {
    return open_workplace({folder_ + "/root", bounds, below});
  }
  std::string folder_;
};

TEST_F(ToolPlacesTest, OpensDirectoriesBeneathTheRoot) {
  for (const char* below : {".", "deep", "deep/..", "inner", "./deep/../inner"}) {
    EXPECT_TRUE(open(below).has_value()) << below;
  }
}

TEST_F(ToolPlacesTest, NeverLeavesTheRoot) {
  for (const char* below : {"..", "out", "top", "top/etc", "deep/../..", "../root", "/etc"}) {
    const auto opened = open(below);
    ASSERT_FALSE(opened.has_value()) << below;
    EXPECT_EQ(opened.error().code, ErrorCode::kPermissionDenied) << below;
  }
}

TEST_F(ToolPlacesTest, NeverLeavesTheBoundsOfARequest) {
  fs::create_directories(folder_ + "/root/deep/mine");
  fs::create_directory_symlink("mine", folder_ + "/root/deep/inner");
  fs::create_directory_symlink("../..", folder_ + "/root/deep/top");
  for (const char* below : {".", "mine", "inner", "mine/.."}) {
    const auto opened = open(below, "inner");
    ASSERT_TRUE(opened.has_value()) << below << opened.error().message;
    EXPECT_EQ(opened->bounds, fs::canonical(folder_ + "/root/deep"));
  }
  for (const char* below : {"..", "top", "top/deep", "mine/../.."}) {
    const auto opened = open(below, "deep");
    ASSERT_FALSE(opened.has_value()) << below;
    EXPECT_EQ(opened.error().code, ErrorCode::kPermissionDenied) << below;
    EXPECT_THAT(opened.error().message, testing::HasSubstr("/params/cwd")) << below;
  }
  const auto outside = open(".", "out");
  ASSERT_FALSE(outside.has_value());
  EXPECT_THAT(outside.error().message, testing::HasSubstr("/params/beneath"));
}

TEST_F(ToolPlacesTest, SaysWhatIsMissing) {
  EXPECT_EQ(open("absent").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(open("file").error().code, ErrorCode::kFailedPrecondition);
  const auto no_root = open_workplace({folder_ + "/gone", ".", "."});
  ASSERT_FALSE(no_root.has_value());
  EXPECT_THAT(no_root.error().message, testing::HasSubstr("tool.roots"));
}

TEST_F(ToolPlacesTest, FindsProgramsInThePathAlone) {
  const std::string one = folder_ + "/one", two = folder_ + "/two";
  fs::create_directories(one + "/prog");  // A directory of that name is not the program.
  fs::create_directories(two);
  std::ofstream(two + "/prog") << "#!/bin/sh\n";
  std::ofstream(two + "/data") << "no program\n";
  ::chmod((two + "/prog").c_str(), 0755);
  ::chmod((two + "/data").c_str(), 0644);
  const std::string path = one + "::relative:" + two;
  EXPECT_EQ(find_program("prog", path).value_or(""), two + "/prog");
  EXPECT_EQ(find_program("./prog", path).value_or(""), "./prog");
  for (const char* name : {"data", "absent"}) {
    const auto found = find_program(name, path);
    ASSERT_FALSE(found.has_value()) << name;
    EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace filecall::worker
