// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// One record of a thread: what was said, asked, decided or done. A line of threads/{thread}.jsonl:
///
///   {"seq":N,"at":"...","type":"...","run":"...","data":{...},"check":"<16 hex digits>"}
///
/// with the keys in this order. `check` is the XXH3-64 of all bytes before `,"check":`.
struct ThreadRecord {
  std::int64_t seq = 0;  ///< From 1, without gaps.
  std::string at;        ///< RFC 3339, UTC, milliseconds.
  std::string type;      ///< "message", "run.begun" and so on.
  std::string run;       ///< Empty: of no run.
  Json data;             ///< An object.

  bool operator==(const ThreadRecord&) const = default;
};

/// {seq, at, type, run, data}, for who shows it. Pure.
Json record_json(const ThreadRecord& record);

/// A record that has no place in a thread yet.
struct NewRecord {
  std::string type;
  std::string run;
  Json data;
};

/// No `data` is longer in a line; larger one is spilled (spilled_data.h).
inline constexpr std::size_t kRecordDataBytesMax = 64 * 1024;
/// No line is longer, its newline included: neither written nor read.
inline constexpr std::size_t kThreadLineBytesMax = kRecordDataBytesMax + 4 * 1024;
/// Types and run ids are no longer.
inline constexpr std::size_t kRecordWordBytesMax = 200;
/// No data is nested deeper: it could not be read back.
inline constexpr int kRecordDepthMax = 500;

/// The line without its newline. `data` must be an object of at most kRecordDataBytesMax as text.
/// Pure.
std::string render_thread_line(const ThreadRecord& record);
/// The record of a line without its newline; the failure says why it is none. What was not written
/// by render_thread_line() with these very bytes is none. Pure.
Result<ThreadRecord, std::string> parse_thread_line(std::string_view line);
/// What stands before a record's data. Views into the line, as they are escaped there.
struct ThreadLineHead {
  std::int64_t seq = 0;
  std::string_view at;
  std::string_view type;
};
/// The head of a line that verifies, without reading the rest of it. Pure.
Result<ThreadLineHead, std::string> read_thread_line_head(std::string_view line);

}  // namespace filecall::client
