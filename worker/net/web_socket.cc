// SPDX-License-Identifier: MIT
#include "worker/net/web_socket.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/rand.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "base/base64.h"
#include "base/check.h"
#include "base/duration.h"
#include "loop/loop_handle.h"
#include "loop/loop_idle.h"
#include "loop/loop_timer.h"
#include "os/clock.h"
#include "os/unique_fd.h"
#include "worker/net/curl_shard.h"
#include "worker/net/curl_transfer.h"
#include "worker/net/web_socket_frames.h"
#include "worker/net/web_socket_handshake.h"

namespace filecall::worker {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
/// Of one turn of the loop: others have work as well.
constexpr int kReadsPerTurn = 4;
constexpr std::size_t kKeyBytes = 16;

void fill_random(std::uint8_t* bytes, std::size_t size) {
  CHECK(RAND_bytes(bytes, static_cast<int>(size)) == 1, "OpenSSL's generator is seeded");
}

std::string new_key() {
  std::array<std::uint8_t, kKeyBytes> bytes{};
  fill_random(bytes.data(), bytes.size());
  return base64_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// "" when the kernel knows of none.
std::string pending_error(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error == 0) return "";
  return std::generic_category().message(error);
}

}  // namespace

/// The connection and what is said on it, step by step.
class WebSocket::Line {
 public:
  Line(uv_loop_t* loop, Request request, WebSocketHandler& handler)
      : loop_(loop),
        request_(std::move(request)),
        handler_(handler),
        transfer_(request_.http, no_answer_),
        shard_(
            loop, 1, [this](CURL*, CURLcode code) { on_connect_end(code); }, [] {}),
        clock_(loop, [this] { on_clock(); }),
        reading_on_(loop, [this] { on_readable(); }),
        frames_(&fill_random) {}

  ~Line() {
    wipe_block();
    poll_.reset();  // Before its descriptor.
    if (is_added_) shard_.remove(transfer_.easy());
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  /// Begins with the next turn of the loop: the caller must have it before the handler hears of it.
  void begin() { clock_.start(Duration::zero()); }

  void send(std::string_view message) {
    if (step_ != Step::kOpen) return;
    frames_.queue(message);
    pings_->on_message_sent();
    write();
  }

  void close() {
    if (step_ != Step::kOpen) return;
    frames_.queue_close();
    write();
  }

  bool was_sent() const { return was_sent_; }

 private:
  /// A transfer that only connects has no answer to hand on.
  class NoAnswer final : public HttpHandler {
   public:
    void on_head(int, const HttpHeaders&) override {}
    bool on_body(std::string_view) override { return false; }
    void on_done(const HttpResult&) override {}
  };

  enum class Step : std::uint8_t { kNew, kConnecting, kAsking, kOpen, kEnded };

  void connect() {
    step_ = Step::kConnecting;
    if (const auto refused = transfer_.prepare(nullptr, this, monotonic_now())) {
      return end(*refused);
    }
    CURL* const easy = transfer_.easy();
    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    // A proxy must not read what is no HTTP request of its own, also without TLS.
    curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    shard_.add(easy);
    is_added_ = true;
    arm();
  }

  void on_connect_end(CURLcode code) {
    if (code != CURLE_OK) return end_as(transfer_.result(code, std::nullopt, monotonic_now()));
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(transfer_.easy(), CURLINFO_ACTIVESOCKET, &socket);
    // The shard still watches libcurl's descriptor, and a loop watches one but once.
    socket_ = UniqueFd(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
    if (!socket_.is_open()) return end(HttpEnd::kConnect);
    if (!transfer_.is_connected()) transfer_.clock().on_connected(monotonic_now());
    poll_ = std::make_unique<SocketPoll>(
        [&](uv_poll_t* handle) { return uv_poll_init_socket(loop_, handle, socket_.get()); },
        [this](int status, int events) { on_poll(status, events); });
    key_ = new_key();
    auto asked = upgrade_request(request_.http, key_, request_.protocols);
    if (!asked) return end(HttpEnd::kBadUrl);
    step_ = Step::kAsking;
    block_ = asked->reveal();
    write();
    arm();
  }

  void on_poll(int status, int events) {
    // libuv watches it no more. What the peer said before it broke may still be read.
    if (status < 0) {
      is_watched_ = false;
      is_deaf_ = true;
      problem_ = pending_error(socket_.get());
    }
    if ((events & UV_WRITABLE) != 0) write();
    // Not only when it is readable: TLS may have to read before it can write.
    on_readable();
  }

  /// What was refused must be offered again as it was, at its address: OpenSSL has begun to send
  /// it. What comes meanwhile waits within the frames.
  void write() {
    for (;;) {
      if (sent_bytes_ == block_.size()) {
        wipe_block();
        block_ = frames_.take_output();
        if (block_.empty()) break;
      }
      if (is_deaf_) {
        wipe_block();
        continue;
      }
      std::size_t sent = 0;
      const CURLcode code = curl_easy_send(transfer_.easy(), block_.data() + sent_bytes_,
                                           block_.size() - sent_bytes_, &sent);
      if (code == CURLE_AGAIN || (code == CURLE_OK && sent == 0)) break;
      // What the peer said before it went away may still be read.
      if (code != CURLE_OK) {
        is_deaf_ = true;
        continue;
      }
      sent_bytes_ += sent;
      was_sent_ = was_sent_ || sent_bytes_ == block_.size();
    }
    if (!is_watched_) return;
    uv_poll_start(poll_->get(), UV_READABLE | (block_.empty() ? 0 : UV_WRITABLE), SocketPoll::call);
  }

  void wipe_block() {
    ::explicit_bzero(block_.data(), block_.size());
    block_.clear();
    sent_bytes_ = 0;
  }

  void on_readable() {
    std::array<char, kReadBytes> buffer;
    for (int read = 0; read < kReadsPerTurn; ++read) {
      std::size_t size = 0;
      const CURLcode code = curl_easy_recv(transfer_.easy(), buffer.data(), buffer.size(), &size);
      if (code == CURLE_AGAIN) {
        reading_on_.stop();
        if (is_deaf_) end_of_broken();
        return;
      }
      if (code != CURLE_OK) return end_of_broken();
      if (size == 0) return is_deaf_ ? end_of_broken() : on_end_of_stream();
      take({buffer.data(), size});
      if (step_ == Step::kEnded) return;
    }
    reading_on_.start();  // libcurl may hold more, of which the socket says nothing.
  }

  void take(std::string_view bytes) {
    received_bytes_ += bytes.size();
    if (received_bytes_ > request_.received_bytes_max) return end(HttpEnd::kTooLarge);
    const MonotonicTime now = monotonic_now();
    transfer_.clock().on_bytes(now);
    if (pings_) pings_->on_bytes(now);
    if (step_ == Step::kAsking) return take_answer(answer_.feed(bytes));
    take_frames(bytes);
  }

  void take_answer(UpgradeAnswer::State state) {
    switch (state) {
      case UpgradeAnswer::State::kReading:
        return;
      case UpgradeAnswer::State::kBroken:
        return end(HttpEnd::kBadResponse, "the response to the handshake is not HTTP");
      case UpgradeAnswer::State::kWhole:
        return end(HttpEnd::kComplete);
      case UpgradeAnswer::State::kSwitched:
        break;
    }
    const std::string mistake = upgrade_mistake(answer_.headers(), key_, request_.protocols);
    if (!mistake.empty()) return end(HttpEnd::kBadResponse, mistake);
    step_ = Step::kOpen;
    const MonotonicTime now = monotonic_now();
    transfer_.clock().on_progress(now);
    pings_.emplace(request_.ping, now);
    arm();
    handler_.on_open(*answer_.headers().find("sec-websocket-protocol"));
    take_frames(answer_.rest());
  }

  void take_frames(std::string_view bytes) {
    bool is_wanted = true;
    const std::size_t pongs = frames_.pongs();
    const bool is_good = frames_.feed(bytes, [&](std::string_view message) {
      transfer_.clock().on_progress(monotonic_now());
      is_wanted = is_wanted && handler_.on_message(message);
    });
    if (frames_.pongs() > pongs) {
      pings_->on_pong();
      arm();
    }
    if (!is_wanted) return end(HttpEnd::kStopped);
    write();  // Pongs, and what a close frame is answered with.
    if (!is_good) return end(HttpEnd::kBadResponse, frames_.problem());
    if (frames_.is_close_received()) end(HttpEnd::kComplete);
  }

  void on_end_of_stream() {
    if (step_ == Step::kAsking && answer_.finish() == UpgradeAnswer::State::kWhole) {
      return end(HttpEnd::kComplete);
    }
    end(HttpEnd::kReset, "the connection ended " + too_early());
  }

  void end_of_broken() {
    end(HttpEnd::kReset,
        "the connection broke " + too_early() + (problem_.empty() ? "" : ": " + problem_));
  }

  std::string too_early() const {
    return step_ == Step::kOpen ? "without a close frame" : "before the handshake was answered";
  }

  void on_clock() {
    if (step_ == Step::kNew) return connect();
    if (step_ == Step::kEnded) return handler_.on_done(WebSocketResult(std::move(result_)));
    const MonotonicTime now = monotonic_now();
    if (const auto expired = transfer_.clock().expired(now)) return end(*expired);
    if (pings_ && pings_->is_dead(now)) {
      return end(HttpEnd::kReset,
                 fmt::format("the server has said nothing for {}, not even to a ping",
                             format_duration(request_.ping.within)));
    }
    if (pings_ && pings_->is_ping_due(now)) {
      frames_.queue_ping();
      pings_->on_ping_sent(now);
      write();
    }
    arm();
  }

  void arm() {
    const MonotonicTime now = monotonic_now();
    Deadline look = transfer_.clock().next_look(now);
    if (pings_) look = std::min(look, pings_->next());
    clock_.start(look.time_left(now));
  }

  void end(HttpEnd how, std::string message = "") {
    HttpResult result = transfer_.result(CURLE_OK, how, monotonic_now());
    result.message = message.empty() ? std::string(reason_to_refuse(how)) : std::move(message);
    end_as(std::move(result));
  }

  /// The handler hears of it from the loop: it may destroy this, and with it who calls here.
  void end_as(HttpResult http) {
    if (step_ == Step::kEnded) return;
    const bool was_open = step_ == Step::kOpen;
    step_ = Step::kEnded;
    reading_on_.stop();
    if (poll_) uv_poll_stop(poll_->get());
    http.was_sent = was_sent_;
    http.status = answer_.status();
    http.headers = answer_.headers();
    result_ = {std::move(http), answer_.body(), was_open, 0, ""};
    if (frames_.is_close_received()) {
      result_.close_code = frames_.close_code();
      result_.close_reason = frames_.close_reason();
    }
    clock_.start(Duration::zero());
  }

  using SocketPoll = LoopHandle<uv_poll_t, int, int>;

  uv_loop_t* const loop_;
  const Request request_;
  WebSocketHandler& handler_;
  NoAnswer no_answer_;
  CurlTransfer transfer_;
  CurlShard shard_;  ///< Its own: libcurl keeps such a connection only within its multi handle.
  bool is_added_ = false;
  LoopTimer clock_;
  LoopIdle reading_on_;
  UniqueFd socket_;
  std::unique_ptr<SocketPoll> poll_;
  Step step_ = Step::kNew;
  std::string key_;
  UpgradeAnswer answer_;
  WebSocketFrames frames_;
  std::optional<PingClock> pings_;  ///< Of an open one.
  std::string block_;               ///< What is being sent: not changed until it is.
  std::size_t sent_bytes_ = 0;      ///< Of the block.
  std::size_t received_bytes_ = 0;
  bool was_sent_ = false;
  bool is_watched_ = true;
  bool is_deaf_ = false;    ///< The peer takes no more.
  std::string problem_;     ///< Of the connection, as the kernel says.
  WebSocketResult result_;  ///< Of the end.
};

WebSocket::WebSocket(std::unique_ptr<Line> line) : line_(std::move(line)) {}

WebSocket::~WebSocket() = default;

std::unique_ptr<WebSocket> WebSocket::open(uv_loop_t* loop, Request request,
                                           WebSocketHandler& handler) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(initialised == CURLE_OK && !request.protocols.empty(), "a request names a protocol");
  auto line = std::make_unique<Line>(loop, std::move(request), handler);
  line->begin();
  return std::unique_ptr<WebSocket>(new WebSocket(std::move(line)));
}

void WebSocket::send(std::string_view message) { line_->send(message); }

void WebSocket::close() { line_->close(); }

bool WebSocket::was_sent() const { return line_->was_sent(); }

}  // namespace filecall::worker
