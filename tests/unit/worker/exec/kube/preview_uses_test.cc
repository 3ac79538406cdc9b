// SPDX-License-Identifier: MIT
#include "worker/exec/kube/preview_uses.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kNow = 1'700'000'000;
constexpr std::int64_t kValidity = 900;

class PreviewUsesTest : public testing::Test {
 protected:
  PreviewUsesTest() : directory_(testing::TempDir() + "preview_uses") {
    std::filesystem::remove_all(directory_);
  }
  ~PreviewUsesTest() override { std::filesystem::remove_all(directory_); }

  std::size_t kept() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_ + "/previews-used"), {}));
  }

  const std::string directory_;
};

TEST_F(PreviewUsesTest, TakesEachPreviewOnceAlsoAfterARestart) {
  for (const std::string& directory : {directory_, std::string()}) {
    PreviewUses uses(directory, kValidity);
    EXPECT_TRUE(uses.take({kNow, "a"}, kNow));
    EXPECT_FALSE(uses.take({kNow, "a"}, kNow));
    EXPECT_TRUE(uses.take({kNow, "b"}, kNow));
  }
  PreviewUses restarted(directory_, kValidity);
  const auto again = restarted.take({kNow, "a"}, kNow);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(PreviewUsesTest, GivesBackWhatTheServerRefused) {
  for (const std::string& directory : {directory_, std::string()}) {
    PreviewUses uses(directory, kValidity);
    EXPECT_TRUE(uses.take({kNow, "a"}, kNow));
    uses.give_back({kNow, "a"});
    EXPECT_TRUE(uses.take({kNow, "a"}, kNow));
  }
}

TEST_F(PreviewUsesTest, ForgetsWhatHasExpired) {
  PreviewUses uses(directory_, kValidity);
  EXPECT_TRUE(uses.take({kNow, "a"}, kNow));
  const std::int64_t later = kNow + 3 * 24 * 3600;
  EXPECT_TRUE(uses.take({later, "b"}, later));
  EXPECT_EQ(kept(), 1u);
}

TEST_F(PreviewUsesTest, RemovesNothingThatItDidNotMake) {
  const std::string folder = directory_ + "/previews-used/";
  std::filesystem::create_directories(folder);
  for (const char* name : {"notes.txt", "17", "17-", "17-xyz", "-17-a", "017-a", "17-a.txt"}) {
    std::ofstream(folder + name) << "kept";
  }
  std::ofstream(folder + "17-a") << "";
  PreviewUses uses(directory_, kValidity);
  EXPECT_TRUE(uses.take({kNow, "b"}, kNow));
  EXPECT_FALSE(std::filesystem::exists(folder + "17-a")) << "one that has expired";
  EXPECT_EQ(kept(), 7u) << "six others, and b; -17-a has expired, too";
}

TEST_F(PreviewUsesTest, RefusesAFolderThatOthersMayWrite) {
  const std::string folder = directory_ + "/previews-used";
  PreviewUses uses(directory_, kValidity);
  EXPECT_TRUE(uses.take({kNow, "a"}, kNow));
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  const auto refused = uses.take({kNow, "b"}, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(PreviewUsesTest, FollowsNoLink) {
  const std::string other = directory_ + "/other";
  std::filesystem::create_directories(other);
  std::ofstream(other + "/17-a") << "kept";
  std::filesystem::create_directory_symlink(other, directory_ + "/previews-used");
  PreviewUses uses(directory_, kValidity);
  EXPECT_FALSE(uses.take({kNow, "b"}, kNow));
  EXPECT_TRUE(std::filesystem::exists(other + "/17-a"));
}

TEST_F(PreviewUsesTest, RefusesTheWriteWhenTheUseCannotBeNoted) {
  std::filesystem::create_directories(directory_);
  std::ofstream(directory_ + "/previews-used") << "a file";
  PreviewUses uses(directory_, kValidity);
  EXPECT_FALSE(uses.take({kNow, "a"}, kNow));
}

}  // namespace
}  // namespace filecall::worker::kube
