// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/net/http_message.h"

namespace filecall::worker::kube {

/// A request that did not succeed, as the server or the transport tells it. Texts are redacted.
struct ApiProblem {
  int http_status = 0;                  ///< 0: no answer came.
  Json status;                          ///< The Status object; null when the body was none.
  std::string body_text;                ///< Of a body that is no Status: its beginning.
  std::optional<Duration> retry_after;  ///< From the header.
  HttpEnd end = HttpEnd::kComplete;     ///< How the transfer ended.
  bool was_sent = false;                ///< The server may have acted on it.
  bool may_change = false;              ///< The request was a write.
  std::string transport_message;        ///< libcurl's.
};

/// The one table from HTTP status and Status.reason to a code, whether a repetition may help, and
/// how long to wait. Pure.
///
/// | answer | code |
/// | 400, 405, 406, 413, 415, 422; 500 for an apply with an unknown field | invalid_argument |
/// | 401, a certificate that TLS refuses | unauthenticated |  403 | permission_denied |  404 |
/// not_found | | 409 AlreadyExists | already_exists |  other 409 | aborted, not retryable | | 410 |
/// out_of_range: a continue token or version that is too old | | 429 | resource_exhausted |  500,
/// 502, 503, 504, no answer | unavailable |
///
/// `error_details`: http_status, reason, kind, name, group, causes (reason, message, field),
/// `continue` of a list whose token is too old, `conflicts` (manager, field) of a refused apply,
/// `transport` when no answer came, and `ambiguous` when a write was sent and may
/// have been done: its answer is lost, or a 408, a 504 or a gateway's 5xx came in its place.
Failure failure_of(const ApiProblem& problem);

/// Whether a whole answer is a good one: 2xx.
constexpr bool is_good_status(int http_status) { return http_status >= 200 && http_status < 300; }

}  // namespace filecall::worker::kube
