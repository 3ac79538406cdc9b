// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "os/unique_fd.h"
#include "spool/journal_reader.h"

namespace filecall::spool {

/// A record that was read from a segment, with bytes of its own.
struct ReadRecord {
  RecordKind kind = RecordKind::kAnswer;
  std::uint64_t sequence = 0;
  std::int64_t mtime_ns = 0;
  std::string name;
  std::string bytes;
  RecordPlace place;
};

struct ReadSegment {
  std::vector<ReadRecord> records;  ///< As they lie there.
  std::size_t after_gap = 0;
};

/// Reads these bytes as the worker and the client read a segment's file.
inline ReadSegment read_segment(std::string_view segment, const SegmentHeader& header) {
  UniqueFd file(::memfd_create("segment", MFD_CLOEXEC));
  CHECK(file.is_open(), "memfd_create");
  CHECK(::write(file.get(), segment.data(), segment.size()) == static_cast<ssize_t>(segment.size()),
        "the segment is written");
  ReadSegment out;
  const auto after_gap =
      JournalReader(file.get(), "segment")
          .each(header, [&](const JournalRecord& record, const RecordPlace& place) -> Result<void> {
            out.records.push_back({record.kind, record.sequence, record.mtime_ns,
                                   std::string(record.name), std::string(record.bytes), place});
            return {};
          });
  CHECK(after_gap.has_value(), after_gap.error().message.c_str());
  out.after_gap = *after_gap;
  return out;
}

}  // namespace filecall::spool
