// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_text.h"

#include <gtest/gtest.h>

namespace filecall::worker::file {
namespace {

using namespace std::string_view_literals;

TEST(FileText, NamesWhatIsNoUtf8) {
  EXPECT_EQ(encoding_of(""), "utf-8");
  EXPECT_EQ(encoding_of("\xEF\xBB\xBFx"), "utf-8");
  EXPECT_EQ(encoding_of("\xFF\xFEx\0"sv), "utf-16le");
  EXPECT_EQ(encoding_of("\xFE\xFF\0x"sv), "utf-16be");
  EXPECT_EQ(encoding_of("\xFF\xFE\0\0"sv), "utf-32le");
  EXPECT_EQ(encoding_of("a\0b"sv), "binary");
  EXPECT_EQ(encoding_of("gr\xFC\xDF"), "unknown");
}

TEST(FileText, CountsLines) {
  EXPECT_EQ(count_lines(""), 0U);
  EXPECT_EQ(count_lines("a"), 1U);
  EXPECT_EQ(count_lines("a\n"), 1U);
  EXPECT_EQ(count_lines("a\n\nb"), 3U);
}

TEST(FileText, TakesWholeLinesWithTheirEnds) {
  const auto slice = [](std::size_t offset, std::size_t limit, std::size_t bytes) {
    const LineSlice found = slice_lines("one\r\ntwo\nthree", offset, limit, bytes);
    return std::string(found.text) + (found.is_whole ? "" : "|");
  };
  EXPECT_EQ(slice(1, 99, 99), "one\r\ntwo\nthree");
  EXPECT_EQ(slice(2, 1, 99), "two\n");
  EXPECT_EQ(slice(3, 1, 99), "three");
  EXPECT_EQ(slice(4, 1, 99), "");
  EXPECT_EQ(slice(1, 99, 9), "one\r\ntwo\n|");
  EXPECT_EQ(slice(1, 99, 8), "one\r\n|");
  EXPECT_EQ(slice(1, 99, 2), "on|") << "the first line alone is longer";
  EXPECT_EQ(slice(1, 99, 0), "|");
}

TEST(FileText, CutsBetweenCharacters) {
  EXPECT_EQ(slice_lines("\xE2\x82\xAC\xE2\x82\xAC", 1, 1, 5).text, "\xE2\x82\xAC");
}

TEST(FileText, HashesAsOthersDo) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace filecall::worker::file
