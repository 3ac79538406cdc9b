// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::worker {

/// One dispatched event of an event stream.
struct SseEvent {
  std::string event;  ///< "message" when the stream names none.
  std::string data;   ///< Lines joined by "\n", without the last one.
  std::string id;     ///< The last one seen.
};

/// Decodes text/event-stream as the WHATWG standard says (section 9.2.6): a leading byte order
/// mark, lines that end in LF, CR or CRLF wherever chunks are cut, comments, fields with and
/// without a space after the colon. It differs in two places, as the providers' own libraries do:
/// an event that the end of the stream left without its blank line is dispatched by finish(), and
/// malformed UTF-8 is passed on; the parser of the data judges it. Pure; memory is bounded by
/// `event_bytes_max`.
class SseDecoder {
 public:
  using OnEvent = std::function<void(const SseEvent&)>;

  explicit SseDecoder(std::size_t event_bytes_max) : event_bytes_max_(event_bytes_max) {}

  /// Dispatches what the bytes complete. Failure: resource_exhausted, a line or an event is longer
  /// than the limit; the decoder is of no use afterwards.
  Result<void> feed(std::string_view bytes, const OnEvent& on_event);
  /// The stream ended.
  Result<void> finish(const OnEvent& on_event);

  /// Comment lines so far (pings of servers and proxies).
  std::size_t comments() const { return comments_; }

 private:
  Result<void> end_line(const OnEvent& on_event);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(const OnEvent& on_event);

  std::size_t event_bytes_max_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool is_after_cr_ = false;
  bool is_first_line_ = true;
  std::size_t comments_ = 0;
};

}  // namespace filecall::worker
