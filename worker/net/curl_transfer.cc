// SPDX-License-Identifier: MIT
#include "worker/net/curl_transfer.h"

#include <fmt/core.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "os/clock.h"
#include "worker/net/curl_tls.h"

namespace filecall::worker {
namespace {

constexpr std::size_t kHeaderBytesMax = 64 * 1024;
/// Per transfer; libcurl's own default is 64 KiB.
constexpr long kUploadBytes = 16 * 1024;
/// Long silent calls die in address translators otherwise (as in the providers' own libraries).
constexpr long kTcpKeepAliveSeconds = 60;
constexpr int kTcpKeepAliveProbes = 5;

bool is_loopback(std::string_view url) {
  const auto host_at = url.find("://");
  if (host_at == std::string_view::npos) return false;
  url.remove_prefix(host_at + 3);
  return url.starts_with("127.") || url.starts_with("[::1]") || url.starts_with("localhost");
}

}  // namespace

CurlTransfer::CurlTransfer(HttpRequest request, HttpHandler& handler)
    : request_(std::move(request)), handler_(handler) {}

CurlTransfer::~CurlTransfer() {
  if (easy_ != nullptr) curl_easy_cleanup(easy_);
  // Its copies of the keys too.
  for (curl_slist* item = header_list_; item != nullptr; item = item->next) {
    ::explicit_bzero(item->data, std::string_view(item->data).size());
  }
  curl_slist_free_all(header_list_);
  curl_slist_free_all(connect_to_);
}

std::optional<HttpEnd> CurlTransfer::prepare(CURLSH* share, void* owner, MonotonicTime now) {
  clock_.emplace(request_.timeouts, now);
  easy_ = curl_easy_init();
  if (easy_ == nullptr) return HttpEnd::kConnect;
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, owner);
  curl_easy_setopt(easy_, CURLOPT_SHARE, share);
  if (!set_url()) return HttpEnd::kBadUrl;
  set_request();
  set_network();
  return std::nullopt;
}

void* CurlTransfer::owner_of(CURL* easy) {
  void* owner = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
  return owner;
}

void CurlTransfer::add_header(const std::string& line) {
  header_list_ = curl_slist_append(header_list_, line.c_str());
}

bool CurlTransfer::set_url() {
  if (request_.tls.server_name.empty() || !request_.url.starts_with("https://")) {
    return curl_easy_setopt(easy_, CURLOPT_URL, request_.url.c_str()) == CURLE_OK;
  }
  const RenamedUrl renamed = rename_host(request_.url, request_.tls.server_name);
  connect_to_ = curl_slist_append(nullptr, renamed.connect_to.c_str());
  curl_easy_setopt(easy_, CURLOPT_CONNECT_TO, connect_to_);
  add_header("Host: " + renamed.host);
  return curl_easy_setopt(easy_, CURLOPT_URL, renamed.url.c_str()) == CURLE_OK;
}

void CurlTransfer::set_request() {
  for (const auto& [name, value] : request_.headers) add_header(fmt::format("{}: {}", name, value));
  for (const auto& [name, value] : request_.secret_headers) {
    std::string line = fmt::format("{}: {}", name, value.reveal());
    add_header(line);
    ::explicit_bzero(line.data(), line.size());
  }
  // Waiting for "100 Continue" costs a round trip, or a second where nobody answers it.
  if (request_.method != "GET") add_header("Expect:");
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, header_list_);
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  if (request_.method != "GET") {
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
  }
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, &CurlTransfer::on_connected);
  curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(easy_, CURLOPT_SOCKOPTFUNCTION, &CurlTransfer::on_socket);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
}

void CurlTransfer::set_network() {
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(
      easy_, CURLOPT_HTTP_VERSION,
      static_cast<long>(request_.may_use_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // Rather a stream of a connection that is being made than a connection more. Without TLS there
  // are no streams, which libcurl knows of a server only after its first answer.
  if (request_.may_use_http2 && request_.url.starts_with("https://")) {
    curl_easy_setopt(easy_, CURLOPT_PIPEWAIT, 1L);
  }
  if (request_.accepts_gzip) curl_easy_setopt(easy_, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(easy_, CURLOPT_HTTP09_ALLOWED, 0L);
  curl_easy_setopt(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, static_cast<long>(request_.receive_bytes));
  curl_easy_setopt(easy_, CURLOPT_UPLOAD_BUFFERSIZE, kUploadBytes);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPIDLE, kTcpKeepAliveSeconds);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPINTVL, kTcpKeepAliveSeconds);
  curl_easy_setopt(easy_, CURLOPT_MAXAGE_CONN, static_cast<long>(request_.keep_alive.count()));
  // The clocks are ours (TransferClock); libcurl's default of 300 s would end a longer connect.
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT, 86400L);
  if (!request_.proxy.empty()) {
    curl_easy_setopt(easy_, CURLOPT_PROXY, request_.proxy.c_str());
    if (request_.is_proxy_fixed) curl_easy_setopt(easy_, CURLOPT_NOPROXY, "");
  } else if (is_loopback(request_.url)) {
    curl_easy_setopt(easy_, CURLOPT_PROXY, "");
  }
  set_tls(easy_, request_.tls);
  if (!request_.ca_file.empty()) {
    curl_easy_setopt(easy_, CURLOPT_CAINFO, request_.ca_file.c_str());
  }
}

int CurlTransfer::on_socket(void*, curl_socket_t fd, curlsocktype) {
  // libcurl 7.88 has an option for the other two values only. Failing is harmless.
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kTcpKeepAliveProbes, sizeof kTcpKeepAliveProbes);
  return CURL_SOCKOPT_OK;
}

int CurlTransfer::on_connected(void* self, char*, char*, int, int) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  if (transfer->is_connected()) {
    // A kept connection broke after the request went out, and libcurl is about to send it again.
    // The peer may have acted on it: the caller decides whether to repeat it.
    transfer->refusal_ = HttpEnd::kReset;
    return CURL_PREREQFUNC_ABORT;
  }
  transfer->clock_->on_connected(monotonic_now());
  return CURL_PREREQFUNC_OK;
}

std::size_t CurlTransfer::on_header(char* line, std::size_t size, std::size_t count, void* self) {
  const std::size_t bytes = size * count;
  return static_cast<CurlTransfer*>(self)->take_header({line, bytes}) ? bytes : 0;
}

bool CurlTransfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kHeaderBytesMax) {
    refusal_ = HttpEnd::kBadResponse;
    return false;
  }
  if (has_head_) return true;  // Trailers.
  if (line.starts_with("HTTP/")) {
    headers_.clear();
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    status_ = static_cast<int>(status);
  } else if (line.starts_with('\r') || line.starts_with('\n')) {
    // libcurl takes a line that only begins so for the end of the head, too: a body follows.
    if (status_ < 200) return true;
    has_head_ = true;
    clock_->on_bytes(monotonic_now());
    handler_.on_head(status_, headers_);
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    headers_.add(line.substr(0, colon), line.substr(colon + 1));
  }
  return true;
}

std::size_t CurlTransfer::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  const std::string_view part(bytes, size * count);
  if (!transfer->has_head_) {
    // libcurl hands over what follows a 101 that nobody asked for.
    transfer->refusal_ = HttpEnd::kBadResponse;
    return 0;
  }
  const MonotonicTime now = monotonic_now();
  if (!transfer->first_byte_at_) transfer->first_byte_at_ = now;
  if (transfer->request_.has_own_progress) {
    transfer->clock_->on_bytes(now);
  } else {
    transfer->clock_->on_progress(now);
  }
  transfer->body_bytes_ += part.size();
  if (transfer->body_bytes_ > transfer->request_.body_bytes_max) {
    transfer->refusal_ = HttpEnd::kTooLarge;
    return 0;
  }
  if (!transfer->handler_.on_body(part)) {
    transfer->refusal_ = HttpEnd::kStopped;
    return 0;
  }
  return part.size();
}

HttpEnd CurlTransfer::end_of(CURLcode code) const {
  if (refusal_) return *refusal_;
  switch (code) {
    case CURLE_OK:
      // libcurl takes a connection that closes within the headers for an answer without a body.
      return has_head_ ? HttpEnd::kComplete : HttpEnd::kBadResponse;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      // The second is also what a peer causes that speaks no HTTP.
      return is_connected() ? HttpEnd::kBadResponse : HttpEnd::kBadUrl;
    case CURLE_COULDNT_RESOLVE_HOST:
      return HttpEnd::kResolve;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
      return HttpEnd::kProxy;
    case CURLE_COULDNT_CONNECT: {
      long os_error = 0;
      curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &os_error);
      return os_error == ECONNREFUSED ? HttpEnd::kRefused : HttpEnd::kConnect;
    }
    case CURLE_OPERATION_TIMEDOUT:
      return is_connected() ? HttpEnd::kTimeoutTotal : HttpEnd::kTimeoutConnect;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return HttpEnd::kTls;
    case CURLE_PARTIAL_FILE:
      return HttpEnd::kTruncated;
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:
      return HttpEnd::kReset;
    case CURLE_RECV_ERROR:
      if (is_connected()) return body_bytes_ > 0 ? HttpEnd::kTruncated : HttpEnd::kReset;
      // Before the request was sent only a proxy can have broken off.
      return HttpEnd::kProxy;
    default:
      return HttpEnd::kBadResponse;
  }
}

HttpResult CurlTransfer::result(CURLcode code, std::optional<HttpEnd> forced,
                                MonotonicTime now) const {
  HttpResult result;
  result.end = forced ? *forced : end_of(code);
  long sent = 0;
  if (easy_ != nullptr) curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &sent);
  result.was_sent = is_connected() && sent > 0;
  result.status = has_head_ ? status_ : 0;
  result.headers = headers_;
  if (!forced && refusal_) {
    result.message = reason_to_refuse(*refusal_);
  } else if (result.end == HttpEnd::kBadResponse && code == CURLE_OK && !forced) {
    result.message = "the answer ends before its headers do";
  } else if (result.end != HttpEnd::kComplete && code != CURLE_OK && !forced) {
    result.message = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
  }
  const MonotonicTime begun = clock_->begun_at();
  if (is_connected()) result.connected = *clock_->connected_at() - begun;
  if (first_byte_at_) result.first_byte = *first_byte_at_ - begun;
  result.elapsed = now - begun;
  return result;
}

}  // namespace filecall::worker
