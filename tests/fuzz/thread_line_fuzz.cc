// SPDX-License-Identifier: MIT
// A line of a thread. What is read as a record is written as one that reads the same; and what is
// written as one reads back.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "client/threads/thread_record.h"

namespace {

using namespace filecall;
using namespace filecall::client;

void check_line(std::string_view line) {
  const auto record = parse_thread_line(line);
  const auto head = read_thread_line_head(line);
  if (!record) {
    CHECK(!record.error().empty() && is_valid_utf8(record.error()), "a refusal has a reason");
    return;
  }
  CHECK(record->seq >= 1 && record->data.is_object(), "a record has a number and data");
  CHECK(head && head->seq == record->seq, "both readers agree");
  const auto again = parse_thread_line(render_thread_line(*record));
  CHECK(again && *again == *record, "a record is written as it was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_line(text);
  // The check of most inputs is wrong: with the right one the rest is read.
  check_line(text + fmt::format(R"(,"check":"{:016x}"}})", hash64(text)));
  const std::string whole = sanitize_utf8(text);
  const ThreadRecord record{7, "2026-11-20T22:31:27.104Z", "note", "run-a", {{"text", whole}}};
  const auto read = parse_thread_line(render_thread_line(record));
  CHECK(read && *read == record, "what is written reads back");
  return 0;
}
