// SPDX-License-Identifier: MIT
#include "worker/net/http_message.h"

namespace filecall::worker {

std::string_view to_string(HttpEnd end) {
  switch (end) {
    case HttpEnd::kComplete:
      return "complete";
    case HttpEnd::kBadUrl:
      return "bad_url";
    case HttpEnd::kResolve:
      return "resolve";
    case HttpEnd::kConnect:
      return "connect";
    case HttpEnd::kRefused:
      return "refused";
    case HttpEnd::kTls:
      return "tls";
    case HttpEnd::kProxy:
      return "proxy";
    case HttpEnd::kReset:
      return "reset";
    case HttpEnd::kTruncated:
      return "truncated";
    case HttpEnd::kBadResponse:
      return "bad_response";
    case HttpEnd::kTooLarge:
      return "too_large";
    case HttpEnd::kStopped:
      return "stopped";
    case HttpEnd::kTimeoutConnect:
      return "timeout_connect";
    case HttpEnd::kTimeoutFirstEvent:
      return "timeout_first_event";
    case HttpEnd::kTimeoutIdle:
      return "timeout_idle";
    case HttpEnd::kTimeoutTotal:
      return "timeout_total";
  }
  return "unknown";
}

std::string_view reason_to_refuse(HttpEnd end) {
  switch (end) {
    case HttpEnd::kReset:
      return "the peer closed a kept connection while the request was on its way and may have "
             "acted on it; it was not sent a second time: try again if acting twice does no harm";
    case HttpEnd::kBadResponse:
      return "the headers of the response have no end; check that the URL is the API's";
    case HttpEnd::kTooLarge:
      return "the response is larger than allowed; ask for less, or allow more";
    case HttpEnd::kStopped:
      return "the rest of the response was not needed";
    default:
      return "";
  }
}

}  // namespace filecall::worker
