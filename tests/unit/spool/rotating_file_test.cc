// SPDX-License-Identifier: MIT
#include "os/rotating_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace filecall {
namespace {

namespace fs = std::filesystem;

class RotatingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-log-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    fs::create_directory(folder_ + "/logs");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name = "a.log") const { return folder_ + "/logs/" + name; }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string folder_;
};

TEST_F(RotatingFileTest, KeepsTheNewestLinesInOrder) {
  auto file = RotatingFile::open(path(), 20, 2);
  ASSERT_TRUE(file);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(file->append("line " + std::to_string(i) + "\n"));
  EXPECT_EQ(text_of(path()), "line 8\n");
  EXPECT_EQ(text_of(path("a.1.log")), "line 6\nline 7\n");
  EXPECT_EQ(text_of(path("a.2.log")), "line 4\nline 5\n");
  EXPECT_FALSE(fs::exists(path("a.3.log")));
}

TEST_F(RotatingFileTest, GoesOnWithWhatIsThere) {
  ASSERT_TRUE(RotatingFile::open(path(), 20, 1)->append("0123456789\n"));
  ASSERT_TRUE(RotatingFile::open(path(), 20, 1)->append("abc\n"));
  EXPECT_EQ(text_of(path()), "0123456789\nabc\n");
  ASSERT_TRUE(RotatingFile::open(path(), 20, 1)->append("9876543210\n"));
  EXPECT_EQ(text_of(path("a.1.log")), "0123456789\nabc\n");
}

TEST_F(RotatingFileTest, EmptiesTheFileWhereNoOldOneIsKept) {
  auto file = RotatingFile::open(path(), 10, 0);
  ASSERT_TRUE(file);
  for (const char* line : {"12345678\n", "abcdefgh\n"}) ASSERT_TRUE(file->append(line));
  EXPECT_EQ(text_of(path()), "abcdefgh\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/logs"), {}), 1);
}

TEST_F(RotatingFileTest, StaysInItsDirectoryWhateverItsPathComesToMean) {
  auto file = RotatingFile::open(path(), 10, 2);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append("12345678\n"));
  fs::rename(folder_ + "/logs", folder_ + "/moved");
  fs::create_directory(folder_ + "/others");
  std::ofstream(folder_ + "/others/a.log") << "theirs";
  fs::create_directory_symlink(folder_ + "/others", folder_ + "/logs");
  ASSERT_TRUE(file->append("abcdefgh\n"));
  EXPECT_EQ(text_of(folder_ + "/others/a.log"), "theirs");
  EXPECT_FALSE(fs::exists(folder_ + "/others/a.1.log"));
  EXPECT_EQ(text_of(folder_ + "/moved/a.log"), "abcdefgh\n");
  EXPECT_EQ(text_of(folder_ + "/moved/a.1.log"), "12345678\n");
}

TEST_F(RotatingFileTest, NeverFollowsALinkOfItsName) {
  std::ofstream(folder_ + "/other") << "theirs";
  fs::create_symlink(folder_ + "/other", path());
  EXPECT_FALSE(RotatingFile::open(path(), 10, 2));
  fs::remove(path());
  fs::create_symlink(folder_ + "/other", path("a.1.log"));
  auto file = RotatingFile::open(path(), 10, 2);
  ASSERT_TRUE(file);
  for (const char* line : {"12345678\n", "abcdefgh\n", "ABCDEFGH\n", "87654321\n"}) {
    ASSERT_TRUE(file->append(line));
  }
  EXPECT_EQ(text_of(folder_ + "/other"), "theirs");
}

TEST_F(RotatingFileTest, GoesOnGrowingWhereItCannotBeRotated) {
  fs::create_directories(path("a.1.log") + "/in the way");
  auto file = RotatingFile::open(path(), 10, 1);
  ASSERT_TRUE(file);
  for (const char* line : {"12345678\n", "abcdefgh\n"}) ASSERT_TRUE(file->append(line));
  EXPECT_EQ(text_of(path()), "12345678\nabcdefgh\n");
}

TEST(RotatingFileName, HasItsNumberBeforeTheExtension) {
  EXPECT_EQ(RotatingFile::old_name("worker.log", 2), "worker.2.log");
  EXPECT_EQ(RotatingFile::old_name("log", 1), "log.1");
  EXPECT_EQ(RotatingFile::old_name(".log", 1), ".log.1");
  EXPECT_EQ(RotatingFile::old_name("log.", 1), "log..1");
  EXPECT_EQ(RotatingFile::old_name("worker.log", 0), "worker.log");
}

}  // namespace
}  // namespace filecall
