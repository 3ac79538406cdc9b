// SPDX-License-Identifier: MIT
#include "worker/net/curl_tls.h"

#include <fmt/core.h>

#include <algorithm>

namespace filecall::worker {
namespace {

void set_blob(CURL* easy, CURLoption option, const std::string& text) {
  // Not copied: libcurl would free its copy of a key without overwriting it.
  curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, option, &blob);
}

}  // namespace

void set_tls(CURL* easy, const HttpTls& tls) {
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!tls.is_verified) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!tls.authorities.empty()) {
    set_blob(easy, CURLOPT_CAINFO_BLOB, tls.authorities);
    // The system's would be trusted as well.
    curl_easy_setopt(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  if (!tls.certificate.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
    set_blob(easy, CURLOPT_SSLCERT_BLOB, tls.certificate);
    set_blob(easy, CURLOPT_SSLKEY_BLOB, tls.key.reveal());
  }
}

RenamedUrl rename_host(std::string_view url, std::string_view name) {
  constexpr std::string_view kScheme = "https://";
  std::string_view rest = url.substr(std::min(kScheme.size(), url.size()));
  const std::size_t path = std::min(rest.find('/'), rest.size());
  const std::string_view host = rest.substr(0, path);
  // A port's colon stands behind the brackets of an IPv6 address, which has colons of its own.
  const std::size_t colon = host.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (!host.starts_with('[') || host[colon - 1] == ']');
  const std::string_view port = has_port ? host.substr(colon + 1) : "443";
  const std::string_view address = has_port ? host.substr(0, colon) : host;
  return {fmt::format("{}{}:{}{}", kScheme, name, port, rest.substr(path)),
          fmt::format("{}:{}:{}:{}", name, port, address, port), std::string(host)};
}

}  // namespace filecall::worker
