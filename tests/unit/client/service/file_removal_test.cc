// SPDX-License-Identifier: MIT
#include "client/service/file_removal.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/io.h"
#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

TEST(FileRemoval, RemovesAndCountsWhatIsThereByManyHands) {
  const TemporaryRoot root;
  constexpr int kFiles = 700;
  std::vector<std::string> names;
  for (int i = 0; i < kFiles; ++i) {
    names.push_back(std::to_string(i) + ".json");
    root.write("responses/" + names.back(), "x");
  }
  root.write("responses/kept.json", "x");
  const auto folder = open_file(root.path() + "/responses", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(folder);
  std::vector<FileRemoval> removals = {{folder->get(), "none.json"}};
  for (const std::string& name : names) removals.push_back({folder->get(), name});
  const auto counted = remove_files(removals, true);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->files, kFiles);
  EXPECT_TRUE(root.has("responses/0.json"));
  const auto removed = remove_files(removals, false);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->files, kFiles);
  EXPECT_EQ(removed->bytes, counted->bytes);
  for (const std::string& name : names) EXPECT_FALSE(root.has("responses/" + name));
  EXPECT_TRUE(root.has("responses/kept.json"));
  EXPECT_EQ(remove_files(removals, false)->files, 0);
}

TEST(FileRemoval, SaysWhatCannotBeRemoved) {
  const TemporaryRoot root;
  root.write("responses/folder/file", "x");
  const auto folder = open_file(root.path() + "/responses", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(folder);
  const FileRemoval removal{folder->get(), "folder"};
  const auto removed = remove_files({&removal, 1}, false);
  ASSERT_FALSE(removed);
  EXPECT_NE(removed.error().message.find("folder"), std::string::npos);
}

}  // namespace
}  // namespace filecall::client
