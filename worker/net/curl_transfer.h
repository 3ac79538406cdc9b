// SPDX-License-Identifier: MIT
#pragma once

#include <curl/curl.h>

#include <array>
#include <optional>
#include <string>

#include "worker/net/http_client.h"
#include "worker/net/transfer_clock.h"

namespace filecall::worker {

/// One request as a libcurl easy handle: its options, what libcurl reports about it, and what its
/// end means. Does not know where it runs. Loop thread only; stays at its address.
class CurlTransfer {
 public:
  CurlTransfer(HttpRequest request, HttpHandler& handler);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  /// Makes the easy handle. `share`: names and TLS sessions. `owner` is what owner_of() gives back.
  /// Failure: the URL or an option is refused.
  std::optional<HttpEnd> prepare(CURLSH* share, void* owner, MonotonicTime now);
  CURL* easy() const { return easy_; }
  static void* owner_of(CURL* easy);

  TransferClock& clock() { return *clock_; }
  bool is_connected() const { return clock_ && clock_->connected_at().has_value(); }
  /// The outcome. `forced`: it was ended from outside.
  HttpResult result(CURLcode code, std::optional<HttpEnd> forced, MonotonicTime now) const;
  HttpHandler& handler() const { return handler_; }
  const std::string& url() const { return request_.url; }
  std::chrono::seconds keep_alive() const { return request_.keep_alive; }

 private:
  bool set_url();
  void set_request();
  void set_network();
  void add_header(const std::string& line);
  HttpEnd end_of(CURLcode code) const;

  static std::size_t on_header(char* line, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static int on_connected(void* self, char*, char*, int, int);
  static int on_socket(void*, curl_socket_t fd, curlsocktype);
  bool take_header(std::string_view line);

  HttpRequest request_;
  HttpHandler& handler_;
  CURL* easy_ = nullptr;
  curl_slist* header_list_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  std::optional<TransferClock> clock_;
  int status_ = 0;
  HttpHeaders headers_;
  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  std::optional<MonotonicTime> first_byte_at_;
  bool has_head_ = false;
  /// Why a callback refused to go on.
  std::optional<HttpEnd> refusal_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace filecall::worker
