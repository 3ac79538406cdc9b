// SPDX-License-Identifier: MIT
#include "client/threads/thread_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "thread_place.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ThreadListTest : public ThreadPlace {};

TEST_F(ThreadListTest, ListsWhatChangedLastFirst) {
  EXPECT_THAT(list_threads(layout())->threads, IsEmpty());
  auto a = open_log("a");
  ASSERT_TRUE(a->append("run.begun", "run-1", {{"goal", "x"}}, at(5)));
  auto b = open_log("b");
  ASSERT_TRUE(b->append("thread.renamed", "", {{"title", "Second"}}, at(9)));
  ThreadLogOptions fork = options();
  fork.title = "Fork";
  fork.parent = "a";
  fork.parent_seq = 2;
  ASSERT_TRUE(ThreadLog::open(layout(), "c", fork));
  ASSERT_TRUE(open_log("gone")->append("thread.deleted", "", Json::object(), at(3)));
  std::ofstream(layout().threads() + "/notes.txt") << "x";
  std::filesystem::create_directory(layout().thread("folder"));
  const auto listing = list_threads(layout());
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->unreadable, ElementsAre(HasSubstr("folder.jsonl: is no regular file")));
  ASSERT_THAT(listing->threads, SizeIs(4));
  EXPECT_EQ(listing->threads[0].id, "b");
  EXPECT_EQ(listing->threads[0].title, "Second");
  EXPECT_EQ(listing->threads[1].id, "a");
  EXPECT_EQ(listing->threads[1].runs, 1);
  EXPECT_EQ(listing->threads[1].records, 2);
  EXPECT_TRUE(listing->threads[2].is_deleted);
  EXPECT_EQ(listing->threads[3].parent, "a");
  EXPECT_EQ(listing->threads[3].parent_seq, 2);
  EXPECT_GT(listing->threads[3].bytes, 0);
}

}  // namespace
}  // namespace filecall::client
