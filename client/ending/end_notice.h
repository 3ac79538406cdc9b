// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "client/core/retry_policy.h"

namespace filecall::client {

/// "https://host/..." of a URL: its path, its query and its user may be secrets. Empty: it is no
/// URL of http or https with a host. Pure.
std::string shown_url(std::string_view url);

struct NoticeOptions {
  RetryPolicy retry{};
  Duration timeout = seconds(30);  ///< Of an attempt.
};

/// Whether a notice can be sent from here. Failure: failed_precondition, libcurl cannot be loaded.
Result<void> check_notices();

/// POSTs `body`, as JSON. An answer of 2xx is a success. What a later attempt may change (no
/// connection, no answer in time, HTTP 408, 429 and 5xx) is tried again. Blocks. The failure says
/// what the last attempt met, without the URL's secrets; or that libcurl cannot be loaded.
Result<void> post_notice(const std::string& url, const std::string& body,
                         const NoticeOptions& options);

}  // namespace filecall::client
