// SPDX-License-Identifier: MIT
#include "ipc/plain_run.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace filecall {
namespace {

bool stops(unsigned char byte) { return byte < 0x20 || byte == '"' || byte == '\\'; }

TEST(PlainRun, EndsAtEveryByteThatNeedsAnEscapeWhereverItStands) {
  for (std::size_t size = 0; size < 40; ++size) {
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

/// Byte by byte, as the header defines it.
PlainRun defined_run(std::string_view text) {
  PlainRun run;
  for (; run.size < text.size() && !stops(static_cast<unsigned char>(text[run.size])); ++run.size) {
    run.is_ascii = run.is_ascii && static_cast<unsigned char>(text[run.size]) < 0x80;
  }
  return run;
}

TEST(PlainRun, IsTheSameBytewiseByWordsAndByVectors) {
  std::mt19937 random(7);
  const std::string_view few = "a\"\\\x1f\x20\x7f\x80\xff";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 70, 'v');
    for (unsigned changes = random() % 4; !text.empty() && changes > 0; --changes) {
      text[random() % text.size()] = few[random() % few.size()];
    }
    const PlainRun wanted = defined_run(text);
    for (const PlainRun run : {plain_run(text), portable_plain_run(text)}) {
      ASSERT_EQ(run.size, wanted.size) << testing::PrintToString(text);
      ASSERT_EQ(run.is_ascii, wanted.is_ascii) << testing::PrintToString(text);
    }
  }
}

TEST(PlainRun, SeesNothingBehindItsEnd) {
  // Two stops in one word, and a byte beyond ASCII behind the first.
  for (std::size_t first = 0; first < 16; ++first) {
    for (std::size_t second = first + 1; second < 16; ++second) {
      for (const char byte : {'"', '\\', '\n', '\xff', '!', '#', '['}) {
        std::string text(32, '\x20');
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
