// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "worker/exec/llm/chat_params.h"
#include "worker/exec/llm/provider_call.h"
#include "worker/net/sse_decoder.h"

namespace filecall::worker::llm {

/// What of a request matters after it was sent.
struct ChatWishes {
  std::optional<ResponseFormat::Kind> format;
  std::shared_ptr<const SchemaValidator> schema;
  bool stream = false;
  bool raw = false;
};

/// One attempt at llm.chat: a whole body or a stream, and its events.
class ChatCall final : public ProviderCall {
 public:
  ChatCall(LlmService& service, Provider& provider, std::string model, ChatWishes wishes,
           std::unique_ptr<EventSink> events, std::function<void(Outcome)> done);
  ~ChatCall() override;

  void on_head(int status, const HttpHeaders& headers) override;
  bool on_body(std::string_view bytes) override;
  Json partial() const override;

 protected:
  Answer read(const std::string& body, const HttpResult& result) override;
  Answer judge_end(const HttpResult& result) override;
  void on_answer(const Answer& answer) override;

 private:
  void take_event(const SseEvent& event);
  void flush();
  void take_delta(const ChatDelta& delta);
  Answer end_of_stream(const HttpResult& result);
  Answer succeed(const ChatResult& result, const std::string& body);
  /// Adds what came before the failure.
  Failure with_partial(Failure failure) const;
  void write_event(Json event);

  ChatWishes wishes_;
  std::unique_ptr<EventSink> events_;
  std::unique_ptr<ChatStream> stream_;  ///< Null while the answer is not streamed.
  SseDecoder decoder_;
  bool is_broken_ = false;  ///< The decoder gave up.
  MonotonicTime begun_at_;
  /// Deltas of one kind, not yet written.
  ChatDelta unwritten_;
};

}  // namespace filecall::worker::llm
