// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/path_facts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace filecall::worker::guard {
namespace {

namespace fs = std::filesystem;
using Kind = MountStep::Kind;

class PathFactsTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/filecall-facts-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::vector<PathFacts> look(Kind kind, const std::string& name) const {
    return look_at_host({{kind, folder_ + "/" + name, "", false}});
  }

  std::string folder_;
};

TEST_F(PathFactsTest, AreTheSameWhileTheFileIs) {
  write("file", "a");
  const auto before = look(Kind::kSystem, "file");
  write("file", "longer");
  EXPECT_EQ(look(Kind::kSystem, "file"), before) << "what is in a mounted file is seen anyway";
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before.front().error, 0);
}

TEST_F(PathFactsTest, ChangeWithAFileThatTakesTheNameOfAnother) {
  for (const Kind kind : {Kind::kSystem, Kind::kDevice, Kind::kBind}) {
    write("file", "a");
    const auto before = look(kind, "file");
    write("new", "b");
    fs::rename(folder_ + "/new", folder_ + "/file");
    EXPECT_NE(look(kind, "file"), before);
  }
}

TEST_F(PathFactsTest, ChangeWhenAFileAppearsOrGoes) {
  const auto before = look(Kind::kSystem, "file");
  write("file", "a");
  const auto with_file = look(Kind::kSystem, "file");
  EXPECT_NE(with_file, before);
  fs::remove(folder_ + "/file");
  EXPECT_EQ(look(Kind::kSystem, "file"), before);
}

TEST_F(PathFactsTest, ChangeWithWhatALinkLeadsTo) {
  write("one", "1");
  fs::create_symlink("one", folder_ + "/link");
  const auto before = look(Kind::kSystem, "link");
  EXPECT_EQ(look(Kind::kSystem, "link"), before);
  write("new", "2");
  fs::rename(folder_ + "/new", folder_ + "/one");
  EXPECT_NE(look(Kind::kSystem, "link"), before);
}

TEST_F(PathFactsTest, ChangeWithALinkThatIsMadeAgain) {
  fs::create_symlink("usr/one", folder_ + "/link");
  const auto before = look(Kind::kSystem, "link");
  fs::create_symlink("usr/two", folder_ + "/new");
  fs::rename(folder_ + "/new", folder_ + "/link");
  EXPECT_NE(look(Kind::kSystem, "link"), before);
}

TEST_F(PathFactsTest, FollowNoLinkToWhatIsBound) {
  fs::create_directory(folder_ + "/real");
  const auto before = look(Kind::kBind, "real");
  fs::rename(folder_ + "/real", folder_ + "/moved");
  fs::create_symlink("moved", folder_ + "/real");
  EXPECT_NE(look(Kind::kBind, "real"), before) << "it is the same directory, by a link";
  EXPECT_NE(look(Kind::kBind, "real").front().error, 0);
}

TEST_F(PathFactsTest, AreThoseOfHostFilesOnly) {
  EXPECT_TRUE(look_at_host({{Kind::kLink, "/dev/fd", "/proc/self/fd"},
                            {Kind::kDirectory, "/tmp", ""},
                            {Kind::kProc, "/proc", ""}})
                  .empty());
}

}  // namespace
}  // namespace filecall::worker::guard
