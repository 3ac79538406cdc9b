// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "worker/net/http_headers.h"
#include "worker/net/http_tls.h"
#include "worker/net/secret.h"

namespace filecall::worker {

/// Four independent clocks, all from when the transfer begins, never from when somebody queued it.
struct HttpTimeouts {
  Duration connect = seconds(5);        ///< Name, TCP and TLS.
  Duration first_event = seconds(600);  ///< From connected to the first progress.
  /// Without a byte. Bytes that are no progress (pings) extend it to four times that at most.
  Duration idle = seconds(120);
  Duration total = seconds(600);
};
inline constexpr int kIdleWithoutProgressFactor = 4;

/// One request. Sent once: never redirected, never repeated (also not by libcurl, when a kept
/// connection turns out to be closed).
struct HttpRequest {
  std::string method = "POST";
  std::string url;  ///< http or https; without user or password.
  std::vector<std::pair<std::string, std::string>> headers;
  /// Header values that are never shown, e.g. {"Authorization", "Bearer ..."}.
  std::vector<std::pair<std::string, Secret>> secret_headers;
  std::string body;
  std::string proxy;            ///< Empty: $HTTPS_PROXY and its kin, except for loopback hosts.
  bool is_proxy_fixed = false;  ///< $NO_PROXY does not lift `proxy`.
  std::string ca_file;          ///< PEM; empty: what `tls` says.
  HttpTls tls;
  bool may_use_http2 = false;  ///< Over https, when the peer offers it.
  bool accepts_gzip = false;   ///< The handler gets the text; body_bytes_max bounds that.
  /// Taken from the socket at once; libcurl keeps so much for each transfer.
  std::size_t receive_bytes = 4 * 1024;
  HttpTimeouts timeouts;
  /// A connection that was unused for longer is not used; this one's is kept for so long. The
  /// default is below the five seconds after which common servers (uvicorn, Node) close it, so that
  /// a request seldom meets a connection that is being closed.
  std::chrono::seconds keep_alive{4};
  std::size_t body_bytes_max = 64 * 1024 * 1024;  ///< Of the response.
  /// The handler calls HttpTransfer::progress(); otherwise every byte of the body is progress.
  bool has_own_progress = false;
};

/// How a transfer ended. `kComplete` speaks of the transport only: any status, whole body.
enum class HttpEnd : std::uint8_t {
  kComplete,
  kBadUrl,
  kResolve,
  kConnect,
  kRefused,  ///< Nobody listens there.
  kTls,
  kProxy,
  kReset,        ///< The connection broke while sending or before the answer was whole.
  kTruncated,    ///< Closed in the middle of the body.
  kBadResponse,  ///< Not HTTP, or headers without end.
  kTooLarge,     ///< More than body_bytes_max.
  kStopped,      ///< The handler wanted no more.
  kTimeoutConnect,
  kTimeoutFirstEvent,
  kTimeoutIdle,
  kTimeoutTotal,
};
std::string_view to_string(HttpEnd end);
/// What happened, for people, when a transfer was ended by this side: libcurl knows only that it
/// was stopped. Empty for what nobody here ends.
std::string_view reason_to_refuse(HttpEnd end);

struct HttpResult {
  HttpEnd end = HttpEnd::kComplete;
  /// Bytes of the request went out: the peer may have acted on it.
  bool was_sent = false;
  int status = 0;  ///< 0: no response came.
  HttpHeaders headers;
  std::string message;    ///< What is known of a failure; for people.
  Duration connected{};   ///< From begin to connected; zero when it never was.
  Duration first_byte{};  ///< From begin to the first byte of the body.
  Duration elapsed{};
};

/// Receives one transfer's answer. All calls come from the loop, none from within
/// HttpClient::start(). Only on_done() may destroy transfers.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// Status line and headers are complete (informational ones are skipped).
  virtual void on_head(int status, const HttpHeaders& headers) = 0;
  /// Bytes of the body. False ends the transfer as kStopped.
  virtual bool on_body(std::string_view bytes) = 0;
  /// The answer came to its end, and no other call than on_done() follows. Of answers that end
  /// together all are announced before the first on_done(): a caller that has more to ask can
  /// have it sent before it works on what it got. Not called when the transfer ended otherwise.
  virtual void on_complete(int /*status*/) {}
  /// Called once, last; not after the transfer was destroyed. May destroy it.
  virtual void on_done(const HttpResult& result) = 0;
};

}  // namespace filecall::worker
