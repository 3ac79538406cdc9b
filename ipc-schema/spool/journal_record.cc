// SPDX-License-Identifier: MIT
#include "spool/journal_record.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace filecall::spool {
namespace {

constexpr std::string_view kSegmentMagic = "\x01\x66\x63log1\n";
static_assert(kSegmentMagic.size() == 8);
// Control characters: neither JSON text nor a stem can hold them.
constexpr std::uint32_t kRecordMagic = 0x1e0602f1;
constexpr std::string_view kRecordMagicBytes = "\xf1\x02\x06\x1e";
constexpr std::size_t kAlignment = 8;

// checksum, then what it covers: magic, name size, kind, bytes size, lap, sequence, mtime.
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kHeaderBytes = 32;

template <typename Number>
void put(std::string& out, Number number) {
  auto bits = static_cast<std::uint64_t>(number);
  for (std::size_t i = 0; i < sizeof number; ++i, bits >>= 8) {
    out.push_back(static_cast<char>(bits & 0xff));
  }
}

template <typename Number>
Number get(std::string_view bytes, std::size_t at) {
  std::uint64_t bits = 0;
  for (std::size_t i = sizeof(Number); i > 0; --i) {
    bits = bits << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return static_cast<Number>(bits);
}

std::size_t padded(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

bool is_kind(std::uint16_t number) { return number >= 1 && number <= 3; }

}  // namespace

std::string encode_header(const SegmentHeader& header) {
  std::string out(kSegmentMagic);
  put(out, header.lap);
  put(out, header.medium);
  put(out, hash64(out));
  out.resize(kSegmentHeaderBytes);
  return out;
}

std::optional<SegmentHeader> decode_header(std::string_view segment) {
  if (segment.size() < kHeaderBytes || !segment.starts_with(kSegmentMagic)) return {};
  if (hash64(segment.substr(0, 24)) != get<std::uint64_t>(segment, 24)) return {};
  return SegmentHeader{get<std::uint64_t>(segment, 8), get<std::uint64_t>(segment, 16)};
}

bool is_blank(std::string_view segment) {
  const std::string_view head = segment.substr(0, kHeaderBytes);
  return segment.size() < kSegmentHeaderBytes ||
         std::all_of(head.begin(), head.end(), [](char c) { return c == '\0'; });
}

void append_record(std::string& out, std::uint64_t lap, const JournalRecord& record) {
  CHECK(record.name.size() <= 0xffff, "a name in the journal has at most 64 KiB");
  CHECK(record.bytes.size() <= kRecordBytesMax - kRecordHeaderBytes - record.name.size(),
        "a record in the journal is one that its readers take");
  CHECK(out.size() % kAlignment == 0, "records begin at multiples of 8");
  const std::size_t begin = out.size();
  put<std::uint64_t>(out, 0);
  put(out, kRecordMagic);
  put(out, static_cast<std::uint16_t>(record.name.size()));
  put(out, static_cast<std::uint16_t>(record.kind));
  put(out, static_cast<std::uint64_t>(record.bytes.size()));
  put(out, lap);
  put(out, record.sequence);
  put(out, record.mtime_ns);
  out.append(record.name).append(record.bytes);
  std::string checksum;
  put(checksum, hash64(std::string_view(out).substr(begin + kChecksumBytes)));
  out.replace(begin, kChecksumBytes, checksum);
  out.resize(padded(out.size()));
}

std::size_t record_size(std::string_view head, std::uint64_t lap, std::uint64_t room) {
  if (head.size() < kRecordHeaderBytes || room < kRecordHeaderBytes) return 0;
  if (get<std::uint32_t>(head, 8) != kRecordMagic) return 0;
  const auto name_size = get<std::uint16_t>(head, 12);
  const auto bytes_size = get<std::uint64_t>(head, 16);
  if (get<std::uint64_t>(head, 24) != lap || !is_kind(get<std::uint16_t>(head, 14))) return 0;
  room -= kRecordHeaderBytes;
  if (name_size > room || bytes_size > room - name_size) return 0;
  const std::uint64_t size = kRecordHeaderBytes + name_size + bytes_size;
  return size > kRecordBytesMax ? 0 : static_cast<std::size_t>(size);
}

std::size_t find_record(std::string_view bytes, std::size_t from) {
  for (std::size_t at = from + kChecksumBytes;; ++at) {
    at = bytes.find(kRecordMagicBytes, at);
    if (at == std::string_view::npos) break;
    if (at % kAlignment == 0) return at - kChecksumBytes;
  }
  const std::size_t unseen = kChecksumBytes + kRecordMagicBytes.size() - 1;
  return std::max(from, bytes.size() < unseen ? 0 : padded(bytes.size() - unseen));
}

std::optional<JournalRecord> decode_record(std::string_view bytes) {
  if (bytes.size() < kRecordHeaderBytes) return std::nullopt;
  const auto name_size = get<std::uint16_t>(bytes, 12);
  const auto bytes_size = get<std::uint64_t>(bytes, 16);
  if (kRecordHeaderBytes + name_size + bytes_size != bytes.size()) return std::nullopt;
  if (hash64(bytes.substr(kChecksumBytes)) != get<std::uint64_t>(bytes, 0)) return std::nullopt;
  JournalRecord record;
  record.kind = static_cast<RecordKind>(get<std::uint16_t>(bytes, 14));
  record.sequence = get<std::uint64_t>(bytes, 32);
  record.mtime_ns = get<std::int64_t>(bytes, 40);
  record.name = bytes.substr(kRecordHeaderBytes, name_size);
  record.bytes = bytes.substr(kRecordHeaderBytes + name_size, bytes_size);
  return record;
}

}  // namespace filecall::spool
