// SPDX-License-Identifier: MIT
// The journal's codec. Any bytes are a segment that can be read: what is found lies in it, in
// order, and is written as it stands there. Records made of the bytes are found again, all of them;
// when one byte is changed, those that it does not touch are found, and nothing else.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "spool/journal_record.h"
#include "tests/support/journal_records.h"

namespace {

using filecall::spool::JournalRecord;
using filecall::spool::kRecordHeaderBytes;
using filecall::spool::read_segment;
using filecall::spool::ReadRecord;
using filecall::spool::RecordKind;
using filecall::spool::SegmentHeader;

bool is_same(const ReadRecord& a, const JournalRecord& b) {
  return a.kind == b.kind && a.sequence == b.sequence && a.mtime_ns == b.mtime_ns &&
         a.name == b.name && a.bytes == b.bytes;
}

void check_any(std::string_view segment) {
  const auto header = filecall::spool::decode_header(segment);
  if (header) {
    CHECK(segment.size() < filecall::spool::kSegmentHeaderBytes ||
              !filecall::spool::is_blank(segment),
          "a header is not blank");
    CHECK(filecall::spool::decode_header(filecall::spool::encode_header(*header)) == header,
          "a header is written as it was read");
  }
  const SegmentHeader lap = header.value_or(SegmentHeader{1, 2});
  const auto found = read_segment(segment, lap);
  CHECK(found.after_gap <= found.records.size(), "only records lie behind a gap");
  std::size_t end = 0;
  for (const ReadRecord& record : found.records) {
    const auto at = static_cast<std::size_t>(record.place.at);
    CHECK(at >= end, "records lie one after another");
    end = at + record.place.bytes;
    CHECK(end <= segment.size(), "records lie in the segment");
    std::string again;
    filecall::spool::append_record(
        again, lap.lap, {record.kind, record.sequence, record.mtime_ns, record.name, record.bytes});
    CHECK(again.size() >= record.place.bytes, "a record is as long as its bytes");
    CHECK(segment.substr(at, record.place.bytes) ==
              std::string_view(again).substr(0, record.place.bytes),
          "a record is written as it was read");
  }
}

/// Takes the bytes apart: numbers and texts, as long as there are any.
class Script {
 public:
  explicit Script(std::string_view bytes) : rest_(bytes) {}
  bool is_empty() const { return rest_.empty(); }
  std::uint8_t number() {
    const std::string_view byte = text(1);
    return byte.empty() ? 0 : static_cast<std::uint8_t>(byte[0]);
  }
  std::string_view text(std::size_t size) {
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(out.size());
    return out;
  }

 private:
  std::string_view rest_;
};

struct Written {
  std::string segment;
  std::vector<JournalRecord> records;
  std::vector<std::size_t> ends;
  std::vector<std::size_t> fillings;  ///< How much of each is filled up at its end.
};

Written written(Script& script, const SegmentHeader& header) {
  Written out;
  out.segment = filecall::spool::encode_header(header);
  while (!script.is_empty() && out.records.size() < 64) {
    JournalRecord record;
    record.kind = static_cast<RecordKind>(1 + script.number() % 3);
    record.sequence = filecall::hash64(script.text(script.number() % 8));
    record.mtime_ns = static_cast<std::int64_t>(filecall::hash64(script.text(1)));
    record.name = script.text(script.number());
    record.bytes = script.text(std::size_t{script.number()} * 16);
    const std::size_t size =
        out.segment.size() + kRecordHeaderBytes + record.name.size() + record.bytes.size();
    filecall::spool::append_record(out.segment, header.lap, record);
    out.fillings.push_back(out.segment.size() - size);
    out.records.push_back(record);
    out.ends.push_back(out.segment.size());
  }
  return out;
}

void check_records(std::string_view bytes) {
  // A lap that the bytes cannot know: no text holds one of its records.
  const SegmentHeader header{filecall::hash64(bytes), bytes.size()};
  Script script(bytes);
  const std::size_t place = std::size_t{script.number()} * 256 + script.number();
  const std::uint8_t change = script.number();
  Written made = written(script, header);
  CHECK(filecall::spool::decode_header(made.segment) == header, "the header is read");
  const auto whole = read_segment(made.segment, header);
  CHECK(whole.after_gap == 0, "there is no gap");
  CHECK(std::ranges::equal(whole.records, made.records, is_same), "every record is found");

  const std::size_t size = made.segment.size() - filecall::spool::kSegmentHeaderBytes;
  if (size == 0 || change == 0) return;
  const std::size_t at = filecall::spool::kSegmentHeaderBytes + place % size;
  made.segment[at] = static_cast<char>(made.segment[at] ^ change);
  const auto touched = static_cast<std::size_t>(
      std::upper_bound(made.ends.begin(), made.ends.end(), at) - made.ends.begin());
  auto rest = made.records;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(touched));
  const auto damaged = read_segment(made.segment, header);
  // What fills a record up to a multiple of 8 bytes does not count.
  const bool is_filling = at >= made.ends[touched] - made.fillings[touched];
  CHECK(std::ranges::equal(damaged.records, is_filling ? made.records : rest, is_same),
        "what was not touched is found, and nothing else");
  CHECK(damaged.after_gap == (is_filling ? 0 : rest.size() - touched),
        "what lies behind the damage is behind a gap");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_any(bytes);
  check_records(bytes);
  return 0;
}
