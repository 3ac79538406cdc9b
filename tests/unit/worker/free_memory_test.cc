// SPDX-License-Identifier: MIT
#include "worker/free_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

namespace filecall::worker {
namespace {

constexpr std::size_t kMebibyte = 1024 * 1024;

/// Resident, of this process (proc(5)).
std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(ReleaseFreeMemory, GivesBackWhatManySmallBlocksTook) {
  const std::size_t before = resident_bytes();
  std::vector<std::unique_ptr<char[]>> blocks(64 * 1024);
  for (auto& block : blocks) {
    block.reset(new char[1000]);
    std::memset(block.get(), 1, 1000);
  }
  ASSERT_GT(resident_bytes(), before + 50 * kMebibyte);
  blocks.clear();
  release_free_memory();
  EXPECT_LT(resident_bytes(), before + 10 * kMebibyte);
}

}  // namespace
}  // namespace filecall::worker
