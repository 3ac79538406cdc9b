// SPDX-License-Identifier: MIT
#include "worker/net/sse_decoder.h"

#include <fmt/core.h>

namespace filecall::worker {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<void> SseDecoder::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (is_after_cr_) {  // The second half of a CRLF that a chunk border may have cut.
      is_after_cr_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() + event_.data.size() > event_bytes_max_) {
      return fail(ErrorCode::kResourceExhausted,
                  fmt::format("an event of the stream has more than {} bytes", event_bytes_max_));
    }
    line_ += part;
    if (end == std::string_view::npos) break;
    is_after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    TRY(end_line(on_event));
  }
  return {};
}

Result<void> SseDecoder::finish(const OnEvent& on_event) {
  if (!line_.empty()) TRY(end_line(on_event));
  dispatch(on_event);
  return {};
}

Result<void> SseDecoder::end_line(const OnEvent& on_event) {
  std::string_view line = line_;
  if (is_first_line_ && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  is_first_line_ = false;
  if (line.empty()) {
    dispatch(on_event);
  } else if (line.front() == ':') {
    ++comments_;
  } else {
    const std::size_t colon = line.find(':');
    std::string_view value;
    if (colon != std::string_view::npos) {
      value = line.substr(colon + 1);
      if (value.starts_with(' ')) value.remove_prefix(1);
    }
    take_field(line.substr(0, colon), value);
  }
  line_.clear();
  return {};
}

void SseDecoder::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }
}

void SseDecoder::dispatch(const OnEvent& on_event) {
  if (has_data_) {
    if (event_.event.empty()) event_.event = "message";
    on_event(event_);
  }
  event_.event.clear();
  event_.data.clear();
  has_data_ = false;
}

}  // namespace filecall::worker
