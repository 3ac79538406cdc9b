// SPDX-License-Identifier: MIT
#include "client/report/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace filecall::client {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-output-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    path_ = folder_ + "/out";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::string path_;
};

TEST_F(OutputFileTest, HasItsNameOnlyWhenItIsComplete) {
  {
    auto file = OutputFile::create(path_);
    ASSERT_TRUE(file);
    file->write("text");
    EXPECT_FALSE(std::filesystem::exists(path_));
    ASSERT_TRUE(file->finish());
  }
  std::ostringstream text;
  text << std::ifstream(path_).rdbuf();
  EXPECT_EQ(text.str(), "text");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
}

TEST_F(OutputFileTest, IsWrittenToNothingButARegularFile) {
  ASSERT_EQ(::mkfifo((path_ + ".part").c_str(), 0600), 0);
  const auto fifo = OutputFile::create(path_);
  ASSERT_FALSE(fifo) << "and it does not wait for a reader";
  EXPECT_EQ(fifo.error().code, ErrorCode::kFailedPrecondition);
  std::filesystem::remove(path_ + ".part");
  std::ofstream(folder_ + "/other") << "kept";
  std::filesystem::create_symlink("other", path_ + ".part");
  EXPECT_FALSE(OutputFile::create(path_));
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/other"), 4u);
}

}  // namespace
}  // namespace filecall::client
