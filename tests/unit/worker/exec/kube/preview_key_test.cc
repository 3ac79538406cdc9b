// SPDX-License-Identifier: MIT
#include "worker/exec/kube/preview_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace filecall::worker::kube {
namespace {

class PreviewKey : public testing::Test {
 protected:
  PreviewKey() : directory_(testing::TempDir() + "preview_key") {
    std::filesystem::remove_all(directory_);
  }
  ~PreviewKey() override { std::filesystem::remove_all(directory_); }

  DigestKey stored() const {
    const auto key = stored_preview_key(directory_);
    EXPECT_TRUE(key);
    return key ? *key : DigestKey{};
  }

  std::string directory_;
};

TEST_F(PreviewKey, IsDrawnOnceAndKeptForItsOwnerAlone) {
  const DigestKey first = stored();
  EXPECT_NE(first.bytes, DigestKey{}.bytes);
  EXPECT_EQ(stored().bytes, first.bytes);
  struct stat kept {};
  ASSERT_EQ(::stat((directory_ + "/preview.key").c_str(), &kept), 0);
  EXPECT_EQ(kept.st_mode & 0777U, 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(PreviewKey, IsDrawnAnewWhenOthersMayReadIt) {
  const DigestKey first = stored();
  ASSERT_EQ(::chmod((directory_ + "/preview.key").c_str(), 0640), 0);
  const DigestKey second = stored();
  EXPECT_NE(second.bytes, first.bytes);
  EXPECT_EQ(stored().bytes, second.bytes);
}

TEST_F(PreviewKey, IsDrawnAnewWhenItIsTorn) {
  const DigestKey first = stored();
  std::filesystem::resize_file(directory_ + "/preview.key", 31);
  const DigestKey second = stored();
  EXPECT_NE(second.bytes, first.bytes);
  EXPECT_EQ(stored().bytes, second.bytes);
}

TEST_F(PreviewKey, NeedsAPlace) {
  EXPECT_FALSE(stored_preview_key(""));
  std::ofstream(directory_).put('x');
  EXPECT_FALSE(stored_preview_key(directory_));
}

}  // namespace
}  // namespace filecall::worker::kube
