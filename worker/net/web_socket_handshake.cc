// SPDX-License-Identifier: MIT
#include "worker/net/web_socket_handshake.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <strings.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/check.h"

namespace filecall::worker {
namespace {

/// RFC 6455, section 1.3.
constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

bool is_same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// Whether a list of words with commas between has this one.
bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, end);
    list.remove_prefix(std::min(list.size(), end + 1));
    while (!item.empty() && (item.front() == ' ' || item.front() == '\t')) item.remove_prefix(1);
    while (!item.empty() && (item.back() == ' ' || item.back() == '\t')) item.remove_suffix(1);
    if (is_same_word(item, word)) return true;
  }
  return false;
}

bool is_line_safe(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

struct Target {
  std::string_view host;
  std::string_view path;
};
std::optional<Target> target_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  url.remove_prefix(scheme + 3);
  const std::size_t path = std::min(url.find('/'), url.size());
  const bool is_clean = is_line_safe(url) && url.find_first_of(" #@") == std::string_view::npos;
  if (path == 0 || !is_clean) return std::nullopt;
  return Target{url.substr(0, path), path == url.size() ? "/" : url.substr(path)};
}

}  // namespace

std::optional<Secret> upgrade_request(const HttpRequest& request, std::string_view key,
                                      const std::vector<std::string>& protocols) {
  const auto target = target_of(request.url);
  if (!target) return std::nullopt;
  std::string out = fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\nSec-WebSocket-Protocol: {}\r\n",
      target->path, target->host, key, fmt::join(protocols, ", "));
  for (const auto& [name, value] : request.headers) {
    if (!is_line_safe(name) || !is_line_safe(value)) return std::nullopt;
    out += fmt::format("{}: {}\r\n", name, value);
  }
  for (const auto& [name, value] : request.secret_headers) {
    if (!is_line_safe(name) || !is_line_safe(value.reveal())) return std::nullopt;
    out += fmt::format("{}: {}\r\n", name, value.reveal());
  }
  return Secret(out + "\r\n");
}

std::string accept_of_key(std::string_view key) {
  const std::string text = std::string(key) + std::string(kAcceptSuffix);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1,
        "OpenSSL has SHA-1, which the protocol asks for");
  return base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

std::string upgrade_mistake(const HttpHeaders& headers, std::string_view key,
                            const std::vector<std::string>& protocols) {
  const auto of = [&](std::string_view name) { return headers.find(name).value_or(""); };
  if (!is_same_word(of("upgrade"), "websocket") || !has_word(of("connection"), "upgrade")) {
    return "the server switches to something else than a WebSocket";
  }
  if (of("sec-websocket-accept") != accept_of_key(key)) {
    return "the server's Sec-WebSocket-Accept does not fit the request";
  }
  if (headers.find("sec-websocket-extensions")) {
    return "the server uses WebSocket extensions that were not asked for";
  }
  if (std::ranges::find(protocols, of("sec-websocket-protocol")) == protocols.end()) {
    return fmt::format("the server agreed on none of {}", fmt::join(protocols, ", "));
  }
  return "";
}

struct UpgradeAnswer::Callbacks {
  static UpgradeAnswer& of(http_parser* parser) {
    return *static_cast<UpgradeAnswer*>(parser->data);
  }

  static void end_field(UpgradeAnswer& answer) {
    if (!answer.name_.empty()) answer.headers_.add(answer.name_, answer.value_);
    answer.name_.clear();
    answer.value_.clear();
  }

  static int on_begin(http_parser* parser) {
    UpgradeAnswer& answer = of(parser);
    answer.headers_.clear();  // What came before was informational.
    answer.has_head_ = false;
    return 0;
  }

  static int on_name(http_parser* parser, const char* text, std::size_t size) {
    UpgradeAnswer& answer = of(parser);
    if (answer.is_value_) end_field(answer);
    answer.is_value_ = false;
    answer.name_.append(text, size);
    return 0;
  }

  static int on_value(http_parser* parser, const char* text, std::size_t size) {
    UpgradeAnswer& answer = of(parser);
    answer.is_value_ = true;
    answer.value_.append(text, size);
    return 0;
  }

  static int on_head(http_parser* parser) {
    UpgradeAnswer& answer = of(parser);
    end_field(answer);
    answer.is_value_ = false;
    answer.status_ = static_cast<int>(parser->status_code);
    answer.has_head_ = true;
    // 2: no body follows, and the parser stops behind the head.
    return answer.status_ == 101 ? 2 : 0;
  }

  static int on_body(http_parser* parser, const char* text, std::size_t size) {
    UpgradeAnswer& answer = of(parser);
    const std::size_t room = kBodyBytesMax - answer.body_.size();
    answer.body_.append(text, std::min(size, room));
    return 0;
  }

  static int on_end(http_parser* parser) {
    UpgradeAnswer& answer = of(parser);
    if (answer.status_ == 101) {
      answer.state_ = State::kSwitched;
    } else if (answer.status_ >= 200) {
      answer.state_ = State::kWhole;
      http_parser_pause(parser, 1);  // Nothing that follows is looked at.
    }
    return 0;
  }
};

UpgradeAnswer::UpgradeAnswer() {
  http_parser_init(&parser_, HTTP_RESPONSE);
  parser_.data = this;
}

UpgradeAnswer::State UpgradeAnswer::feed(std::string_view bytes) {
  static const http_parser_settings kSettings = [] {
    http_parser_settings settings;
    http_parser_settings_init(&settings);
    settings.on_message_begin = &Callbacks::on_begin;
    settings.on_header_field = &Callbacks::on_name;
    settings.on_header_value = &Callbacks::on_value;
    settings.on_headers_complete = &Callbacks::on_head;
    settings.on_body = &Callbacks::on_body;
    settings.on_message_complete = &Callbacks::on_end;
    return settings;
  }();
  if (state_ != State::kReading) return state_;
  const std::size_t used = http_parser_execute(&parser_, &kSettings, bytes.data(), bytes.size());
  if (state_ == State::kSwitched) {
    rest_ = bytes.substr(used);
    return state_;
  }
  if (state_ == State::kWhole) return state_;
  read_bytes_ += bytes.size();
  const bool is_in_body = has_head_ && status_ >= 200;
  const bool is_too_long = read_bytes_ > (is_in_body ? kReadBytesMax : kHeadBytesMax);
  if (is_too_long && is_in_body) return state_ = State::kWhole;
  if (is_too_long || parser_.http_errno != HPE_OK) state_ = State::kBroken;
  return state_;
}

UpgradeAnswer::State UpgradeAnswer::finish() {
  if (state_ != State::kReading) return state_;
  // A body that is shorter than promised still says what it says.
  return state_ = has_head_ && status_ >= 200 ? State::kWhole : State::kBroken;
}

}  // namespace filecall::worker
