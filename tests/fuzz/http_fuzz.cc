// SPDX-License-Identifier: MIT
// What this side reads of an HTTP answer: its header lines, then, after an empty line, an event
// stream. Waits are bounded whatever a header says, and the decoder of events finds what a plain
// reading of the standard finds, however the stream is cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "worker/exec/kube/client/api_reply.h"
#include "worker/exec/llm/listener_owner.h"
#include "worker/net/http_headers.h"
#include "worker/net/retry_after.h"
#include "worker/net/sse_decoder.h"

namespace {

using namespace filecall;
using namespace filecall::worker;

const WallTime kNow{seconds(1'790'000'000)};

void check_wait(const std::optional<Duration>& wait) {
  CHECK(!wait || (*wait >= Duration::zero() && *wait <= kWaitMax), "a wait is bounded");
}

void check_line(HttpHeaders& headers, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view value = line.substr(colon + 1);
  headers.add(line.substr(0, colon), value);
  for (const char* name : {"retry-after", "retry-after-ms", "x-ratelimit-reset-requests"}) {
    HttpHeaders one;
    one.add(name, value);
    check_wait(explicit_delay(one, kNow));
    check_wait(retry_delay(one, kNow));
  }
  check_wait(parse_wait(value));
  if (const auto date = parse_http_date(value)) {
    CHECK(format_rfc3339(*date).ends_with('Z'), "a date can be written");
  }
  (void)kube::warning_text(value);
}

struct Event {
  std::string event, data, id;
  bool operator==(const Event&) const = default;
};

/// The standard's text, line by line, on the whole stream.
std::vector<Event> events_of(std::string_view stream) {
  std::vector<Event> out;
  if (stream.starts_with("\xef\xbb\xbf")) stream.remove_prefix(3);
  Event now;
  bool has_data = false;
  const auto dispatch = [&] {
    if (has_data) {
      now.data.pop_back();
      out.push_back({now.event.empty() ? "message" : now.event, now.data, now.id});
    }
    now.event.clear();
    now.data.clear();
    has_data = false;
  };
  while (!stream.empty()) {
    const std::size_t end = std::min(stream.find_first_of("\r\n"), stream.size());
    const std::string_view line = stream.substr(0, end);
    stream.remove_prefix(std::min(stream.size(), end + (stream.substr(end, 2) == "\r\n" ? 2 : 1)));
    if (line.empty()) {
      dispatch();
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(std::min(line.size(), colon + 1));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data") {
      now.data.append(value).push_back('\n');
      has_data = true;
    } else if (name == "event") {
      now.event = value;
    } else if (name == "id" && value.find('\0') == std::string_view::npos) {
      now.id = value;
    }
  }
  dispatch();
  return out;
}

void check_stream(std::string_view stream, std::size_t chunk) {
  SseDecoder decoder(stream.size() + 1);
  std::vector<Event> found;
  const auto take = [&](const SseEvent& event) {
    found.push_back({event.event, event.data, event.id});
  };
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    CHECK(decoder.feed(stream.substr(at, chunk), take), "no event is longer than the stream");
  }
  CHECK(decoder.finish(take), "no event is longer than the stream");
  CHECK(found == events_of(stream), "the standard's events are found");
  SseDecoder small(16);
  (void)small.feed(
      stream, [](const SseEvent& event) { CHECK(event.data.size() <= 16, "an event is bounded"); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  (void)llm::listener_uids(rest, 11434);
  HttpHeaders headers;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) break;
    check_line(headers, line);
  }
  check_wait(explicit_delay(headers, kNow));
  check_wait(retry_delay(headers, kNow));
  check_stream(rest, std::max<std::size_t>(1, rest.size()));
  check_stream(rest, 1 + size % 7);
  return 0;
}
