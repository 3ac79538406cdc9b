// SPDX-License-Identifier: MIT
#include "worker/net/web_socket_frames.h"

#include <fmt/core.h>
#include <sys/types.h>
#include <wslay/wslay.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"

namespace filecall::worker {
namespace {

std::string text_of_code(int code) {
  switch (code) {
    case WSLAY_CODE_MESSAGE_TOO_BIG:
      return fmt::format("a message is longer than {} bytes", WebSocketFrames::kMessageBytesMax);
    case WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA:
      return "a text is not UTF-8";
    default:
      return "what the server sent breaks the WebSocket protocol";
  }
}

/// What of a frame libwslay gets in one piece, and how much of its payload follows in any pieces.
struct FrameStart {
  std::size_t together = 0;
  std::uint64_t rest = 0;
};
/// nullopt: more bytes are needed to say so. A control frame is handed over whole: libwslay 1.1
/// checks the text of a close frame piece by piece, and skips two bytes of each piece.
std::optional<FrameStart> start_of(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const std::size_t size = byte(1) & 0x7fU;
  const std::size_t length_bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
  const std::size_t head = 2 + length_bytes + ((byte(1) & 0x80U) != 0 ? 4 : 0);
  if (bytes.size() < 2 + length_bytes) return std::nullopt;
  std::uint64_t payload = length_bytes == 0 ? size : 0;
  for (std::size_t i = 0; i < length_bytes; ++i) payload = payload << 8U | byte(2 + i);
  // A longer control frame is refused by its head.
  if (wslay_is_ctrl_frame(byte(0)) != 0 && length_bytes == 0) return FrameStart{head + size, 0};
  return FrameStart{head, payload};
}

}  // namespace

struct WebSocketFrames::Callbacks {
  static WebSocketFrames& of(void* self) { return *static_cast<WebSocketFrames*>(self); }

  static ssize_t receive(wslay_event_context_ptr context, std::uint8_t* out, std::size_t size, int,
                         void* self) {
    const std::size_t count = of(self).hand_over(out, size);
    if (count == 0) {
      wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    return static_cast<ssize_t>(count);
  }

  static ssize_t send(wslay_event_context_ptr, const std::uint8_t* bytes, std::size_t size, int,
                      void* self) {
    of(self).output_.append(reinterpret_cast<const char*>(bytes), size);
    return static_cast<ssize_t>(size);
  }

  static int mask(wslay_event_context_ptr, std::uint8_t* out, std::size_t size, void* self) {
    of(self).fill_mask_(out, size);
    return 0;
  }

  static void begin_frame(wslay_event_context_ptr, const wslay_event_on_frame_recv_start_arg* frame,
                          void* self) {
    WebSocketFrames& frames = of(self);
    if (wslay_is_ctrl_frame(frame->opcode) != 0) return;
    frames.fragments_ = frame->opcode == WSLAY_CONTINUATION_FRAME ? frames.fragments_ + 1 : 1;
    if (frames.fragments_ > kFragmentsMax) {
      frames.refuse(fmt::format("a message has more than {} fragments", kFragmentsMax));
    }
  }

  static void take(wslay_event_context_ptr, const wslay_event_on_msg_recv_arg* message,
                   void* self) {
    WebSocketFrames& frames = of(self);
    const std::string_view bytes(reinterpret_cast<const char*>(message->msg), message->msg_length);
    if (message->opcode == WSLAY_BINARY_FRAME) {
      if (frames.problem_.empty()) (*frames.on_message_)(bytes);
    } else if (message->opcode == WSLAY_TEXT_FRAME) {
      frames.refuse("a message is text where binary ones were agreed on");
    } else if (message->opcode == WSLAY_CONNECTION_CLOSE && bytes.size() > 2) {
      frames.close_reason_ = sanitize_utf8(bytes.substr(2));
    } else if (message->opcode == WSLAY_PONG) {
      ++frames.pongs_;
    }
    frames.flush();  // A pong may wait, and nobody asks for many of them at once.
    if (frames.output_.size() > kUnsentBytesMax) frames.refuse("too much waits to be sent");
  }
};

WebSocketFrames::WebSocketFrames(std::function<void(std::uint8_t*, std::size_t)> fill_mask)
    : fill_mask_(std::move(fill_mask)) {
  const wslay_event_callbacks callbacks{
      &Callbacks::receive,     &Callbacks::send, &Callbacks::mask,
      &Callbacks::begin_frame, nullptr,          nullptr,
      &Callbacks::take,
  };
  CHECK(wslay_event_context_client_init(&context_, &callbacks, this) == 0,
        "a context costs only memory");
  wslay_event_config_set_max_recv_msg_length(context_, kMessageBytesMax);
}

WebSocketFrames::~WebSocketFrames() { wslay_event_context_free(context_); }

void WebSocketFrames::refuse(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  wslay_event_shutdown_read(context_);
}

std::size_t WebSocketFrames::hand_over(std::uint8_t* out, std::size_t size) {
  if (rest_ > 0) {
    const std::size_t count = std::min({std::uint64_t{size}, std::uint64_t{input_.size()}, rest_});
    std::copy_n(input_.begin(), count, out);
    input_.remove_prefix(count);
    rest_ -= count;
    return count;
  }
  auto start = start_of(begun_);
  while (!start || begun_.size() < start->together) {
    if (input_.empty()) return 0;
    begun_ += input_.front();
    input_.remove_prefix(1);
    if (!start) start = start_of(begun_);
  }
  CHECK(begun_.size() <= size, "libwslay has read all that came before it");
  std::copy_n(begun_.begin(), begun_.size(), out);
  rest_ = start->rest;
  return std::exchange(begun_, {}).size();
}

void WebSocketFrames::flush() {
  // The callback takes everything.
  if (wslay_event_send(context_) != 0) refuse("the frames could not be written");
}

bool WebSocketFrames::feed(std::string_view bytes,
                           const std::function<void(std::string_view)>& on_message) {
  if (!problem_.empty()) return false;
  input_ = bytes;
  on_message_ = &on_message;
  const int status = wslay_event_recv(context_);
  flush();
  on_message_ = nullptr;
  input_ = {};
  const bool is_broken = status != 0 || wslay_event_get_read_enabled(context_) == 0;
  if (problem_.empty() && is_broken && !is_close_received()) {
    problem_ = text_of_code(wslay_event_get_status_code_sent(context_));
  }
  return problem_.empty();
}

void WebSocketFrames::queue(std::string_view message) {
  const wslay_event_msg queued{
      WSLAY_BINARY_FRAME, reinterpret_cast<const std::uint8_t*>(message.data()), message.size()};
  // Refused after a close frame: nobody would read it.
  if (wslay_event_queue_msg(context_, &queued) == 0) flush();
}

void WebSocketFrames::queue_close() {
  if (wslay_event_queue_close(context_, WSLAY_CODE_NORMAL_CLOSURE, nullptr, 0) == 0) flush();
}

void WebSocketFrames::queue_ping() {
  const wslay_event_msg queued{WSLAY_PING, nullptr, 0};
  if (wslay_event_queue_msg(context_, &queued) == 0) flush();
}

std::string WebSocketFrames::take_output() { return std::exchange(output_, {}); }

bool WebSocketFrames::is_close_received() const {
  return wslay_event_get_close_received(context_) != 0;
}

int WebSocketFrames::close_code() const { return wslay_event_get_status_code_received(context_); }

}  // namespace filecall::worker
