// SPDX-License-Identifier: MIT
#include "client/threads/line_walk.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "os/unique_fd.h"

namespace filecall::client {
namespace {

using Line = std::tuple<std::string, std::int64_t, bool, bool>;

UniqueFd file_of(const std::string& text) {
  UniqueFd fd(::memfd_create("lines", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return fd;
}

template <typename Walk>
std::vector<Line> lines_of(Walk& walk) {
  std::vector<Line> lines;
  for (;;) {
    const auto line = walk.next();
    EXPECT_TRUE(line);
    if (!line || !*line) return lines;
    lines.emplace_back((*line)->text, (*line)->offset, (*line)->is_too_long, (*line)->is_torn);
  }
}

/// The same, the plain way.
std::vector<Line> expected_of(const std::string& text, std::size_t max) {
  std::vector<Line> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const bool is_too_long = end - begin > max;
    lines.emplace_back(is_too_long ? "" : text.substr(begin, end - begin),
                       static_cast<std::int64_t>(begin), is_too_long, end == text.size());
    begin = end + 1;
  }
  return lines;
}

TEST(LineWalk, FindsTheSameLinesForwardAndBackward) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    // Around the sizes of what is read at once, and around the longest line.
    constexpr std::size_t kMax = 70'000;
    std::string text;
    const auto count = random.below(8);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t kind = random.below(4);
      const std::uint64_t length = kind == 0   ? random.below(3)
                                   : kind == 1 ? 65'530 + random.below(12)
                                   : kind == 2 ? kMax - 2 + random.below(5)
                                               : random.below(300'000);
      text += std::string(length, static_cast<char>('a' + random.below(26))) + "\n";
    }
    if (random.below(2) == 0) text += std::string(random.below(200'000), 't');
    const UniqueFd fd = file_of(text);
    std::vector<Line> expected = expected_of(text, kMax);
    auto backward = BackwardWalk::open(fd.get(), "f", kMax);
    ASSERT_TRUE(backward);
    std::vector<Line> found = lines_of(*backward);
    std::reverse(found.begin(), found.end());
    EXPECT_EQ(found, expected) << round;
    if (!expected.empty() && std::get<3>(expected.back())) expected.pop_back();
    ForwardWalk forward(fd.get(), "f", 0, kMax);
    EXPECT_EQ(lines_of(forward), expected) << round;
    EXPECT_EQ(forward.torn_bytes(), text.size() - (text.rfind('\n') + 1)) << round;
  }
}

TEST(LineWalk, SeesWhatIsAppendedLater) {
  const UniqueFd fd = file_of("one\ntw");
  ForwardWalk walk(fd.get(), "f", 0, 100);
  EXPECT_EQ(lines_of(walk).size(), 1U);
  EXPECT_EQ(walk.torn_bytes(), 2U);
  ASSERT_EQ(::pwrite(fd.get(), "o\nthree\n", 8, 6), 8);
  const std::vector<Line> later = lines_of(walk);
  ASSERT_EQ(later.size(), 2U);
  EXPECT_EQ(later[0], Line("two", 4, false, false));
  EXPECT_EQ(later[1], Line("three", 8, false, false));
  EXPECT_EQ(walk.offset(), 14);
}

}  // namespace
}  // namespace filecall::client
