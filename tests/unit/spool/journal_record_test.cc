// SPDX-License-Identifier: MIT
#include "spool/journal_record.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "tests/support/journal_records.h"

namespace filecall::spool {
namespace {

constexpr SegmentHeader kHeader{7, 9};

struct Written {
  std::string name, bytes;
  RecordKind kind = RecordKind::kAnswer;
};
const std::vector<Written> kWritten = {
    {"a", R"({"request_id":"a","status":"success","data":1})"},
    {"b.1.external", "{}\n", RecordKind::kStart},
    {"c", "", RecordKind::kWithdrawn},
    {std::string(200, 'd'), std::string(5000, 'x')},
    {"e", "1234567"},
};

std::string segment_of(const std::vector<Written>& all, std::uint64_t lap = kHeader.lap) {
  std::string out = encode_header(kHeader);
  std::uint64_t sequence = 0;
  for (const Written& one : all) {
    ++sequence;
    append_record(
        out, lap,
        {one.kind, sequence, 1000 + static_cast<std::int64_t>(sequence), one.name, one.bytes});
  }
  return out;
}

void expect_written(const ReadRecord& record) {
  ASSERT_GE(record.sequence, 1u);
  ASSERT_LE(record.sequence, kWritten.size());
  const Written& one = kWritten[record.sequence - 1];
  EXPECT_EQ(record.name, one.name);
  EXPECT_EQ(record.bytes, one.bytes);
  EXPECT_EQ(record.kind, one.kind);
  EXPECT_EQ(record.mtime_ns, 1000 + static_cast<std::int64_t>(record.sequence));
}

TEST(JournalRecord, ComesBackAsItWasWritten) {
  const std::string segment = segment_of(kWritten) + std::string(4096, '\0');
  EXPECT_EQ(decode_header(segment), kHeader);
  const auto contents = read_segment(segment, kHeader);
  ASSERT_EQ(contents.records.size(), kWritten.size());
  for (const auto& record : contents.records) expect_written(record);
  EXPECT_EQ(contents.after_gap, 0u);
}

TEST(JournalRecord, HasAFormatThatStays) {
  std::string out;
  append_record(out, 0x0807060504030201, {RecordKind::kStart, 2, -1, "ab", "c"});
  const std::string covered(
      "\xf1\x02\x06\x1e\x02\0\x02\0\x01\0\0\0\0\0\0\0"
      "\x01\x02\x03\x04\x05\x06\x07\x08\x02\0\0\0\0\0\0\0"
      "\xff\xff\xff\xff\xff\xff\xff\xff"
      "abc",
      43);
  EXPECT_EQ(out.size(), 56u);
  EXPECT_EQ(out.substr(8, covered.size()), covered);
  EXPECT_EQ(out.substr(51), std::string(5, '\0'));
}

TEST(JournalRecord, OfAnEarlierLapIsNone) {
  const std::string segment = segment_of(kWritten, kHeader.lap + 1);
  EXPECT_TRUE(read_segment(segment, kHeader).records.empty());
}

TEST(JournalRecord, BehindAnOlderLapsRestIsFound) {
  // The new lap is shorter: the rest of the old one begins in the middle of a record.
  const std::string old = segment_of(kWritten, kHeader.lap + 1);
  std::string segment = segment_of({kWritten[0]});
  segment += old.substr(segment.size());
  const auto contents = read_segment(segment, kHeader);
  ASSERT_EQ(contents.records.size(), 1u);
  expect_written(contents.records[0]);
}

TEST(JournalRecord, IsReadUpToWhereTheTailIsTorn) {
  const std::string whole = segment_of(kWritten);
  std::size_t seen = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    for (const bool is_padded : {false, true}) {
      std::string torn = whole.substr(0, size);
      if (is_padded) torn.resize(whole.size());
      const auto contents = read_segment(torn, kHeader);
      for (const auto& record : contents.records) expect_written(record);
      ASSERT_GE(contents.records.size(), seen) << "a longer tail never holds less";
      if (is_padded) seen = contents.records.size();
    }
  }
  EXPECT_EQ(seen, kWritten.size());
}

TEST(JournalRecord, WithAnyBitChangedIsNone) {
  const std::string whole = segment_of(kWritten);
  for (std::size_t bit = kSegmentHeaderBytes * 8; bit < whole.size() * 8; bit += 3) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto contents = read_segment(damaged, kHeader);
    for (const auto& record : contents.records) expect_written(record);
    // Padding may change without harm.
    ASSERT_GE(contents.records.size(), kWritten.size() - 1);
    ASSERT_EQ(contents.after_gap > 0, contents.records.size() < kWritten.size() &&
                                          contents.records.back().sequence == kWritten.size());
  }
}

TEST(JournalRecord, SurvivesDamageBeforeIt) {
  Random random(42);
  const std::string whole = segment_of(kWritten);
  std::map<std::size_t, int> found;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    const std::size_t begin =
        kSegmentHeaderBytes + random.below(whole.size() - kSegmentHeaderBytes);
    const std::size_t size = random.below(std::min<std::size_t>(whole.size() - begin, 600)) + 1;
    switch (random.below(4)) {
      case 0:
        damaged.replace(begin, size, size, '\0');
        break;
      case 1:
        damaged.replace(begin, size, size, static_cast<char>(random.below(256)));
        break;
      case 2:
        damaged.replace(begin, size, whole.substr(kSegmentHeaderBytes, size));
        break;
      default:
        damaged.erase(begin / 8 * 8, size / 8 * 8);
    }
    const auto contents = read_segment(damaged, kHeader);
    for (const auto& record : contents.records) expect_written(record);
    ++found[contents.records.size()];
  }
  EXPECT_GT(found[kWritten.size() - 1], 100);
}

TEST(JournalRecord, MayBeginWhereItsMarkIsOrTheBytesEnd) {
  const std::string mark = "\xf1\x02\x06\x1e";
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random.below(80), 'x');
    for (auto marks = random.below(4); marks > 0; --marks) {
      const std::size_t at = random.below(bytes.size() + 1);
      bytes.insert(at, mark);
    }
    const std::size_t from = random.below(bytes.size() / 8 + 1) * 8;
    std::size_t expected = from;
    while (expected + 12 <= bytes.size() && bytes.substr(expected + 8, 4) != mark) expected += 8;
    ASSERT_EQ(find_record(bytes, from), expected) << bytes.size() << " from " << from;
  }
}

TEST(JournalRecord, CannotBeForgedFromWhatARequestBrings) {
  // JSON text and stems hold no control characters; every record begins with some.
  std::string record;
  append_record(record, kHeader.lap, {RecordKind::kAnswer, 1, 0, "a", "b"});
  bool has_control = false;
  for (std::size_t i = 8; i < 12; ++i) has_control |= static_cast<unsigned char>(record[i]) < 0x20;
  EXPECT_TRUE(has_control);
}

TEST(SegmentHeader, IsKnownByItsChecksum) {
  const std::string whole = encode_header(kHeader);
  EXPECT_EQ(whole.size(), kSegmentHeaderBytes);
  EXPECT_EQ(decode_header(whole), kHeader);
  for (std::size_t bit = 0; bit < 32 * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(decode_header(damaged), std::nullopt) << bit;
    EXPECT_FALSE(is_blank(damaged)) << bit;
  }
}

TEST(SegmentHeader, ThatWasNeverWrittenIsBlank) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(encode_header(kHeader).substr(0, 100)));
  EXPECT_TRUE(is_blank(std::string(100000, '\0')));
  EXPECT_FALSE(is_blank(std::string(100000, 'x')));
  EXPECT_EQ(decode_header(""), std::nullopt);
  EXPECT_EQ(decode_header(std::string(100000, '\0')), std::nullopt);
}

}  // namespace
}  // namespace filecall::spool
