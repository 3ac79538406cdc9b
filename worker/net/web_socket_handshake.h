// SPDX-License-Identifier: MIT
#pragma once

#include <http_parser.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/net/http_headers.h"
#include "worker/net/http_message.h"

namespace filecall::worker {

/// The opening handshake of a WebSocket (RFC 6455, section 4), the client's side. All pure.

/// The request's bytes: GET of the URL, its headers (also the secret ones), and what asks for one
/// of `protocols`. `key`: 16 random bytes in base64. nullopt: the URL or a header has bytes that
/// neither may have.
std::optional<Secret> upgrade_request(const HttpRequest& request, std::string_view key,
                                      const std::vector<std::string>& protocols);

/// What the server says to prove that it has read `key`.
std::string accept_of_key(std::string_view key);

/// Why an answer with status 101 opens no WebSocket with one of `protocols`; "": it does.
std::string upgrade_mistake(const HttpHeaders& headers, std::string_view key,
                            const std::vector<std::string>& protocols);

/// An HTTP/1.1 answer, read from bytes as they come (by http_parser): its head, bounded, and the
/// body of one that does not switch protocols. Stays at its address.
class UpgradeAnswer {
 public:
  static constexpr std::size_t kHeadBytesMax = 64 * 1024;
  static constexpr std::size_t kBodyBytesMax = 64 * 1024;  ///< The rest of it is dropped.
  static constexpr std::size_t kReadBytesMax = 1024 * 1024;

  UpgradeAnswer();
  UpgradeAnswer(const UpgradeAnswer&) = delete;
  UpgradeAnswer& operator=(const UpgradeAnswer&) = delete;

  enum class State : std::uint8_t {
    kReading,
    kSwitched,  ///< 101: what follows the head is the other protocol's, see rest().
    kWhole,     ///< Another answer, with its body.
    kBroken,    ///< Not HTTP, or longer than allowed.
  };
  State feed(std::string_view bytes);
  /// The connection's end, which may be that of a body.
  State finish();

  int status() const { return status_; }
  const HttpHeaders& headers() const { return headers_; }
  const std::string& body() const { return body_; }
  const std::string& rest() const { return rest_; }

 private:
  struct Callbacks;  ///< What http_parser calls.

  http_parser parser_{};
  State state_ = State::kReading;
  int status_ = 0;
  std::size_t read_bytes_ = 0;
  bool has_head_ = false;
  bool is_value_ = false;
  std::string name_, value_;
  HttpHeaders headers_;
  std::string body_;
  std::string rest_;
};

}  // namespace filecall::worker
