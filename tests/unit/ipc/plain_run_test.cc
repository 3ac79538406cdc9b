// SPDX-License-Identifier: MIT
#include "ipc/plain_run.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall {
namespace {

bool stops(unsigned char byte) { return byte < 0x20 || byte == '"' || byte == '\\'; }

TEST(PlainRun, EndsAtEveryByteThatNeedsAnEscapeWhereverItStands) {
  for (std::size_t size = 0; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(byte);
        const PlainRun run = plain_run(text);
        const bool is_stop = stops(static_cast<unsigned char>(byte));
        ASSERT_EQ(run.size, is_stop ? at : size) << byte << " at " << at << " of " << size;
        ASSERT_EQ(run.is_ascii, byte < 0x80) << byte << " at " << at << " of " << size;
      }
    }
  }
}

TEST(PlainRun, SeesNothingBehindItsEnd) {
  // Two stops in one word, and a byte beyond ASCII behind the first.
  for (std::size_t first = 0; first < 8; ++first) {
    for (std::size_t second = first + 1; second < 8; ++second) {
      for (const char byte : {'"', '\\', '\n', '\xff', '!', '#', '['}) {
        std::string text(16, '\x20');
        text[first] = '"';
        text[second] = byte;
        const PlainRun run = plain_run(text);
        ASSERT_EQ(run.size, first);
        ASSERT_TRUE(run.is_ascii);
      }
    }
  }
}

TEST(PlainRun, ReadsNoByteOfWhatFollowsTheText) {
  const std::string text = "abcdefghij\"";
  EXPECT_EQ(plain_run(std::string_view(text).substr(0, 10)).size, 10u);
  EXPECT_EQ(plain_run(std::string_view(text).substr(0, 3)).size, 3u);
  EXPECT_EQ(plain_run("").size, 0u);
}

}  // namespace
}  // namespace filecall
