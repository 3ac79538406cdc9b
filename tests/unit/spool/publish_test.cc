// SPDX-License-Identifier: MIT
#include "spool/publish.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "temporary_root.h"

namespace filecall::spool {
namespace {

class Publish : public testing::TestWithParam<Durability> {
 protected:
  Result<Publication> publish(std::string_view name, std::string_view bytes) {
    return publish_new({directories_->worker_tmp.get(), ".t", directories_->responses.get(), name,
                        bytes, GetParam()});
  }
  TemporaryRoot root_;
  std::shared_ptr<const Directories> directories_ = root_.open().directories();
};

TEST_P(Publish, MakesACompleteFileAndLeavesNoTemporary) {
  const std::string big(3'000'000, 'x');
  ASSERT_EQ(*publish("a.json", big), Publication::kPublished);
  EXPECT_EQ(read_text(root_.layout().response("a")), big);
  EXPECT_EQ(count_entries(root_.layout().worker_tmp()), 0u);
  struct stat info {};
  ASSERT_EQ(::stat(root_.layout().response("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  EXPECT_TRUE(sync_directory(directories_->responses.get()));
}

TEST_P(Publish, NeverOverwrites) {
  ASSERT_EQ(*publish("a.json", "first"), Publication::kPublished);
  EXPECT_EQ(*publish("a.json", "second"), Publication::kAlreadyThere);
  EXPECT_EQ(read_text(root_.layout().response("a")), "first");
  EXPECT_EQ(count_entries(root_.layout().worker_tmp()), 0u);
}

TEST_P(Publish, LeavesNothingWhenItFails) {
  std::filesystem::create_directory(root_.layout().responses() + "/sub");
  std::filesystem::permissions(root_.path(), std::filesystem::perms::owner_all);
  const auto result =
      publish_new({directories_->worker_tmp.get(), ".t", -1, "a.json", "bytes", GetParam()});
  ASSERT_FALSE(result);
  EXPECT_EQ(count_entries(root_.layout().worker_tmp()), 0u);
}

TEST_P(Publish, KeepsAStartRecordWhenItFails) {
  const auto result = publish_new(
      {directories_->worker_started.get(), "a.1.none", -1, "a.json", "bytes", GetParam(), true});
  ASSERT_FALSE(result);
  EXPECT_TRUE(exists(root_.layout().worker_started() + "/a.1.none"));
}

TEST_P(Publish, ReplacesAtomically) {
  const int worker = directories_->worker.get();
  ASSERT_TRUE(replace_file(worker, "status.json", "one", GetParam()));
  ASSERT_TRUE(replace_file(worker, "status.json", "two", GetParam()));
  EXPECT_EQ(read_text(root_.layout().worker_status()), "two");
}

TEST_P(Publish, LetsOneOfManyRacersWin) {
  std::atomic<int> wins = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) {
        const auto result = publish_new(
            {directories_->worker_tmp.get(), next_temporary_name(), directories_->responses.get(),
             Layout::file_name(std::to_string(n)), std::to_string(i), GetParam()});
        if (result && *result == Publication::kPublished) ++wins;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wins, 50);
  EXPECT_EQ(count_entries(root_.layout().responses()), 50u);
  EXPECT_EQ(count_entries(root_.layout().worker_tmp()), 0u);
}

INSTANTIATE_TEST_SUITE_P(Durabilities, Publish,
                         testing::Values(Durability::kFull, Durability::kFile, Durability::kNone),
                         [](const auto& row) { return std::string(to_string(row.param)); });

}  // namespace
}  // namespace filecall::spool
