// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace filecall::spool {

/// The bytes of the journal (durability "journal"): a segment is one header, then records one after
/// another. Pure. Numbers are little-endian. Segments are written again from their beginning, so
/// behind the newest record lie zeros, the records of an earlier lap, or what a power cut tore.
/// What tells them apart is the *lap*, a random number that the header names and every record
/// repeats under its checksum.

enum class RecordKind : std::uint8_t {
  kAnswer = 1,     ///< `name`: stem. `bytes`: the response, whose file was written at `mtime_ns`.
  kStart = 2,      ///< `name`: StartRecordName. `bytes`: that file's content.
  kWithdrawn = 3,  ///< `name`: stem. What was said of it before counts no longer.
};

struct JournalRecord {
  RecordKind kind = RecordKind::kAnswer;
  std::uint64_t sequence = 0;  ///< Grows through all segments of a journal.
  std::int64_t mtime_ns = 0;
  std::string_view name;
  std::string_view bytes;
};

struct SegmentHeader {
  std::uint64_t lap = 0;
  /// Stands for the boot and the mount under which it was written.
  std::uint64_t medium = 0;
  bool operator==(const SegmentHeader&) const = default;
};

/// Where the first record begins: the header has a block of its own, so that writing one never
/// touches the other.
inline constexpr std::size_t kSegmentHeaderBytes = 4096;

std::string encode_header(const SegmentHeader& header);
/// nullopt: these bytes begin with no header.
std::optional<SegmentHeader> decode_header(std::string_view segment);
/// Nothing was ever recorded: no header was written, or not all of it.
bool is_blank(std::string_view segment);

/// The largest record that is written or taken for one, with its name and its numbers.
inline constexpr std::size_t kRecordBytesMax = 512 * 1024 * 1024;
/// Appends the record to `out`, which holds a multiple of 8 bytes before and after. A name over
/// 64 KiB and a record over kRecordBytesMax are programmer errors.
void append_record(std::string& out, std::uint64_t lap, const JournalRecord& record);

/// What record_size() looks at.
inline constexpr std::size_t kRecordHeaderBytes = 48;
/// How many bytes the record has whose first kRecordHeaderBytes these may be; 0: they begin none of
/// this lap, or one that has no room in `room` bytes.
std::size_t record_size(std::string_view head, std::uint64_t lap, std::uint64_t room);
/// The first multiple of 8 from `from` on, itself one, at which a record may begin: its mark is
/// there, or `bytes` end before it.
std::size_t find_record(std::string_view bytes, std::size_t from);
/// The record that these bytes are, by their checksum; views into them. nullopt: they are none: no
/// text that a request can bring into an answer holds the bytes that begin a record.
std::optional<JournalRecord> decode_record(std::string_view bytes);

}  // namespace filecall::spool
