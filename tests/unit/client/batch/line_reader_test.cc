// SPDX-License-Identifier: MIT
#include "os/line_reader.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "os/io.h"

namespace filecall::client {
namespace {

LineReader reader_of(const std::string& text, std::size_t line_bytes_max) {
  UniqueFd fd(::memfd_create("lines", MFD_CLOEXEC));
  EXPECT_TRUE(write_all(fd.get(), text, "lines"));
  ::lseek(fd.get(), 0, SEEK_SET);
  return LineReader(std::move(fd), "lines", line_bytes_max);
}

std::vector<std::string> all_lines(const std::string& text, std::size_t line_bytes_max = 1 << 20) {
  LineReader reader = reader_of(text, line_bytes_max);
  std::vector<std::string> lines;
  for (;;) {
    const auto line = reader.next();
    EXPECT_TRUE(line);
    if (!line || !line->has_value()) return lines;
    const LineReader::Line& found = **line;
    lines.push_back(std::to_string(found.number) + ":" +
                    (found.is_too_long ? "too long" : std::string(found.text)));
  }
}

using Lines = std::vector<std::string>;

TEST(LineReader, SplitsLinesHoweverTheyEnd) {
  EXPECT_EQ(all_lines(""), Lines{});
  EXPECT_EQ(all_lines("a"), Lines{"1:a"});
  EXPECT_EQ(all_lines("a\n"), Lines{"1:a"});
  EXPECT_EQ(all_lines("a\r\nb\n\nc"), (Lines{"1:a", "2:b", "3:", "4:c"}));
}

TEST(LineReader, PassesOverTooLongLinesAndGoesOn) {
  const std::string long_line(3'000'000, 'x');
  EXPECT_EQ(all_lines(long_line + "\nb\n" + long_line, 1000),
            (Lines{"1:too long", "2:b", "3:too long"}));
  EXPECT_EQ(all_lines(std::string(10, 'x') + "\n" + std::string(11, 'x') + "\n", 10),
            (Lines{"1:xxxxxxxxxx", "2:too long"}));
}

TEST(LineReader, KeepsLinesThatCrossItsBuffer) {
  const std::string big(700'000, 'y');
  EXPECT_EQ(all_lines("a\n" + big + "\nz\n"), (Lines{"1:a", "2:" + big, "3:z"}));
}

}  // namespace
}  // namespace filecall::client
