// SPDX-License-Identifier: MIT
#pragma once

#include <curl/curl.h>

#include <string>
#include <string_view>

#include "worker/net/http_tls.h"

namespace filecall::worker {

/// Gives an easy handle its trust and its certificate. `tls` must outlive the handle: its texts are
/// not copied.
void set_tls(CURL* easy, const HttpTls& tls);

/// An URL whose peer proves another name than the URL's: libcurl has no option for that name, so it
/// goes into the URL and the real address into CURLOPT_CONNECT_TO and the Host header.
struct RenamedUrl {
  std::string url;         ///< With `name` in place of the host.
  std::string connect_to;  ///< CURLOPT_CONNECT_TO's form: name:port:host:port.
  std::string host;        ///< The real host and port, for the Host header.
};
/// Pure. `url` is https with a host.
RenamedUrl rename_host(std::string_view url, std::string_view name);

}  // namespace filecall::worker
