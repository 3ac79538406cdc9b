// SPDX-License-Identifier: MIT
#include "client/service/answer_memory.h"

#include <gtest/gtest.h>

#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

spool::FileIdentity identity(std::uint64_t inode) { return {inode, 1000, 20}; }

TEST(AnswerMemory, KeepsWhatWasFoundAndOfWhichFile) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/seen";
  AnswerMemory memory;
  for (std::uint64_t i = 0; i < 1000; ++i) memory.put(std::to_string(i), i % 3 == 0, identity(i));
  memory.put("7", true, identity(7000));
  memory.set_stamp({.device = 1, .inode = 2, .mtime_ns = 3, .ctime_ns = 4, .taken_at_ns = 5});
  ASSERT_TRUE(memory.save(path));
  const AnswerMemory again = AnswerMemory::load(path);
  EXPECT_EQ(again.size(), 1000u);
  EXPECT_EQ(again.stamp().taken_at_ns, 5);
  EXPECT_TRUE(again.find("999")->is_success);
  EXPECT_FALSE(again.find("998")->is_success);
  EXPECT_TRUE(again.find("998")->is_of(identity(998)));
  EXPECT_FALSE(again.find("998")->is_of(identity(999)));
  EXPECT_TRUE(again.find("7")->is_of(identity(7000)));
  EXPECT_FALSE(again.find("1000"));
}

TEST(AnswerMemory, BeginsAgainWhenTheFileIsMissingOrDamaged) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/seen";
  EXPECT_EQ(AnswerMemory::load(path).size(), 0u);
  AnswerMemory memory;
  memory.put("a", true, identity(1));
  ASSERT_TRUE(memory.save(path));
  std::string bytes = root.read("seen");
  ASSERT_EQ(AnswerMemory::load(path).size(), 1u);
  for (const std::size_t at : {std::size_t{0}, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    root.write("seen", damaged);
    EXPECT_EQ(AnswerMemory::load(path).size(), 0u) << at;
  }
  root.write("seen", bytes.substr(0, bytes.size() - 16));
  EXPECT_EQ(AnswerMemory::load(path).size(), 0u);
}

TEST(DirectoryStamp, ProvesNothingWhenTakenRightAfterAChange) {
  const DirectoryStamp early{1, 2, 1'000'000'000, 1'000'000'000, 1'005'000'000};
  EXPECT_FALSE(early.holds_in(early));
  DirectoryStamp late = early;
  late.taken_at_ns = 2'000'000'000;
  DirectoryStamp now = late;
  now.taken_at_ns = 3'000'000'000;
  EXPECT_TRUE(late.holds_in(now));
  now.mtime_ns += 1;
  EXPECT_FALSE(late.holds_in(now));
}

}  // namespace
}  // namespace filecall::client
