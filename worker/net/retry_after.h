// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"
#include "worker/net/http_headers.h"

namespace filecall::worker {

/// How long a peer asks to wait. All pure. Never negative; never more than a day, so that a broken
/// header cannot park a destination for ever.
inline constexpr Duration kWaitMax = seconds(86400);

/// "1m30s", "6m0s", "12ms", "1.5s", "2h", or a bare number of seconds.
std::optional<Duration> parse_wait(std::string_view text);
/// An HTTP-date in its one form that may be sent (RFC 9110 section 5.6.7), e.g.
/// "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<WallTime> parse_http_date(std::string_view text);

/// What a response asks for outright: `retry-after-ms`, else `retry-after` (seconds, perhaps with a
/// fraction; HTTP-date; RFC 3339). nullopt: nothing that can be read.
std::optional<Duration> explicit_delay(const HttpHeaders& headers, WallTime now);
/// The same, else the reset of its rate limits (`x-ratelimit-reset-*` durations or Unix times,
/// `anthropic-ratelimit-*-reset` RFC 3339): the latest of those whose `remaining` is 0, or of all
/// when none is.
std::optional<Duration> retry_delay(const HttpHeaders& headers, WallTime now);

}  // namespace filecall::worker
