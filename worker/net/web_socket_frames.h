// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct wslay_event_context;

namespace filecall::worker {

/// The client's side of a WebSocket's frames (RFC 6455), bytes to messages and messages to bytes,
/// on libwslay. Bounded whatever the peer sends: the length of a message, its fragments, what waits
/// to be sent. Pure but for `fill_mask`, which gives the random bytes of masks. Stays at its
/// address.
class WebSocketFrames {
 public:
  static constexpr std::size_t kMessageBytesMax = 1024 * 1024;
  static constexpr std::size_t kFragmentsMax = 4096;  ///< Of one message.
  static constexpr std::size_t kUnsentBytesMax = 2 * 1024 * 1024;

  explicit WebSocketFrames(std::function<void(std::uint8_t* bytes, std::size_t size)> fill_mask);
  ~WebSocketFrames();
  WebSocketFrames(const WebSocketFrames&) = delete;
  WebSocketFrames& operator=(const WebSocketFrames&) = delete;

  /// Takes what came; calls `on_message` with each binary message that is whole. False: the peer
  /// broke the protocol or one of the limits, problem() says which, and nothing more is read. What
  /// follows the peer's close frame is not looked at.
  bool feed(std::string_view bytes, const std::function<void(std::string_view)>& on_message);
  const std::string& problem() const { return problem_; }

  /// One binary message, to be sent.
  void queue(std::string_view message);
  /// The last one that is sent: the end, in order.
  void queue_close();
  /// An empty ping: a peer that lives answers it, behind what it read before.
  void queue_ping();
  /// What is to be sent now: pongs and the reply to a close frame included.
  std::string take_output();

  /// How many pongs came, whatever they answer.
  std::size_t pongs() const { return pongs_; }

  bool is_close_received() const;
  /// What the peer's close frame said: its code (1005 without one), and its reason.
  int close_code() const;
  const std::string& close_reason() const { return close_reason_; }

 private:
  struct Callbacks;  ///< What libwslay calls.

  void refuse(std::string problem);
  void flush();
  std::size_t hand_over(std::uint8_t* out, std::size_t size);

  wslay_event_context* context_ = nullptr;
  std::function<void(std::uint8_t*, std::size_t)> fill_mask_;
  const std::function<void(std::string_view)>* on_message_ = nullptr;
  std::string_view input_;
  std::string begun_;       ///< The beginning of a frame of which libwslay has seen nothing.
  std::uint64_t rest_ = 0;  ///< Of a payload that it has begun to read.
  std::string output_;
  std::size_t fragments_ = 0;
  std::size_t pongs_ = 0;
  std::string problem_;
  std::string close_reason_;
};

}  // namespace filecall::worker
