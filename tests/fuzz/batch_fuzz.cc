// SPDX-License-Identifier: MIT
// The batch reader: lines from a file, then each line as an item. An accepted line becomes a
// request file that the worker accepts under the item's id; the same line gets the same id.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/stem.h"
#include "client/batch/batch_item.h"
#include "ipc/request.h"
#include "os/line_reader.h"

namespace {

using filecall::client::BatchItem;
using filecall::client::ItemCheck;

constexpr std::size_t kLineBytesMax = 4096;

void check_item(std::string_view line) {
  const auto outcome = filecall::client::read_batch_item(line, {}, ItemCheck::kFull);
  if (!outcome) {
    CHECK(!outcome.error().empty(), "a refusal has a reason");
    return;
  }
  const auto& item = *outcome;
  CHECK(filecall::is_valid_stem(item.id), "the id can name a file");
  const auto submission = filecall::client::make_submission(item, line, item.id);
  const auto request = filecall::parse_request(submission.bytes, item.id);
  CHECK(request.has_value(), "the request file is a request");
  const auto trusted = filecall::client::read_batch_item(line, {}, ItemCheck::kTrusted);
  CHECK(trusted->id == item.id, "the second reading finds the same id");
}

filecall::UniqueFd file_of(std::string_view bytes) {
  filecall::UniqueFd fd(::memfd_create("batch", MFD_CLOEXEC));
  CHECK(fd.is_open(), "memfd_create");
  CHECK(::pwrite(fd.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "pwrite");
  return fd;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  filecall::LineReader reader(file_of(bytes), "batch", kLineBytesMax);
  std::int64_t number = 0;
  for (;;) {
    const auto line = reader.next();
    CHECK(line.has_value(), "memory can be read");
    if (!line->has_value()) break;
    CHECK((*line)->number == ++number, "lines are counted");
    CHECK((*line)->text.find('\n') == std::string_view::npos, "a line is one line");
    CHECK((*line)->text.size() <= kLineBytesMax, "a line is bounded");
    if (!(*line)->text.empty()) check_item((*line)->text);
  }
  return 0;
}
