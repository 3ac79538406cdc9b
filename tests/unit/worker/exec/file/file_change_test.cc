// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace filecall::worker::file {
namespace {

class FileChange : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "file-change-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    top_ = pattern;
    FileConfig config;
    config.roots = config.writable = {top_};
    auto rules = FileRules::compile(config);
    ASSERT_TRUE(rules);
    rules_.emplace(*std::move(rules));
  }
  void TearDown() override { std::filesystem::remove_all(top_); }

  std::string path(const std::string& name) const { return top_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(top_)) {
      found.push_back(entry.path().filename());
    }
    std::ranges::sort(found);
    return found;
  }

  std::string top_;
  std::optional<FileRules> rules_;
};

TEST_F(FileChange, DoesNotReplaceWhatAnotherProgramPutThere) {
  write("a", "old");
  auto file = hold_file(*rules_, "a", "/params/path");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes, "old");
  write("b", "theirs");
  std::filesystem::rename(path("b"), path("a"));
  const auto done = replace_file(*file, "ours");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(read("a"), "theirs");
  EXPECT_EQ(names(), (std::vector<std::string>{"a"}));
}

TEST_F(FileChange, DoesNotReplaceWhatWasWrittenToMeanwhile) {
  write("a", "old");
  auto file = hold_file(*rules_, "a", "/params/path");
  ASSERT_TRUE(file);
  write("a", "longer");
  EXPECT_FALSE(replace_file(*file, "ours"));
  EXPECT_EQ(read("a"), "longer");
}

TEST_F(FileChange, LetsOneChangeOfAFileFollowTheOther) {
  write("a", "0");
  std::filesystem::create_directory_symlink(".", path("again"));
  constexpr int kThreads = 4, kChanges = 25;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < kChanges; ++j) {
          // By another way to the same directory, too.
          const auto file = hold_file(*rules_, i % 2 == 0 ? "a" : "again/a", "/params/path");
          ASSERT_TRUE(file) << file.error().message;
          const auto done = replace_file(*file, std::to_string(std::stoi(file->bytes) + 1));
          EXPECT_TRUE(done) << done.error().message;
        }
      });
    }
  }
  EXPECT_EQ(read("a"), std::to_string(kThreads * kChanges)) << "no change was lost";
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "again"}));
}

TEST(PlaceLocks, TakesAllPlacesOrWaits) {
  PlaceLocks locks;
  const PlaceKey a{1, 2, "a"}, b{1, 2, "b"};
  int both = 0;
  {
    // In opposite orders: each would wait for the other if it took one after the other.
    const auto change = [&](std::vector<PlaceKey> keys) {
      for (int i = 0; i < 1000; ++i) {
        const auto held = locks.hold(keys);
        ++both;
      }
    };
    const std::jthread one([&] { change({a, b}); });
    const std::jthread other([&] { change({b, a}); });
  }
  EXPECT_EQ(both, 2000);
}

}  // namespace
}  // namespace filecall::worker::file
