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
struct ChatOptions {
  ProviderKind kind = ProviderKind::kOpenAi;  ///< Whose format the answer has.
  std::optional<ResponseFormat::Kind> format;
  Json schema;  ///< Null: any JSON object will do.
  bool stream = false;
  bool raw = false;
};

/// One attempt at llm.chat: a whole body or a stream, and its events.
class ChatCall final : public ProviderCall {
 public:
  ChatCall(LlmService& service, Provider& provider, std::string model, ChatOptions options,
           std::unique_ptr<EventSink> events, std::function<void(Outcome)> done);
  ~ChatCall() override;

  /// Compiles the schema that the answer must fit, then sends.
  void start(std::function<Result<HttpRequest, Failure>(ProviderCall&)> make);

  void on_head(int status, const HttpHeaders& headers) override;
  bool on_body(std::string_view bytes) override;
  Json partial() const override;

 protected:
  Answer read(const std::string& body, const HttpResult& result) override;
  Answer judge_end(const HttpResult& result) override;
  void on_answer(const Answer& answer) override;
  void settle(Answer answer) override;

 private:
  void take_event(const SseEvent& event);
  /// Writes what came; what may be the beginning of a secret waits for its rest.
  void flush();
  void flush_all();
  void write_deltas(std::size_t kept_bytes);
  void take_delta(const ChatDelta& delta);
  Answer end_of_stream(const HttpResult& result);
  Answer succeed(const ChatResult& result, const std::string& body);
  /// Checks the choices that are to fit a schema, one after the other.
  void check_next(Json data);
  /// What is wrong with the answer's choice; it was paid for, and the failure has all of it.
  Failure structure_failure(const StructuredAnswer& structured, std::size_t choice, Json data);
  /// Adds what came before the failure.
  Failure with_partial(Failure failure) const;
  void write_event(Json event);

  ChatOptions options_;
  std::unique_ptr<EventSink> events_;
  std::unique_ptr<ChatStream> stream_;  ///< Null while the answer is not streamed.
  SseDecoder decoder_;
  bool is_broken_ = false;  ///< The decoder gave up.
  MonotonicTime begun_at_;
  SchemaChecks::Validator validator_;
  struct StructuredText {
    std::size_t choice = 0;
    std::string text;
  };
  /// Of the answer that is being settled: what is to fit a schema, the next one last.
  std::vector<StructuredText> structured_;
  /// False once this is gone: what is checked on another thread comes back later.
  std::shared_ptr<bool> is_here_ = std::make_shared<bool>(true);
  /// Deltas of one kind, not yet written.
  ChatDelta unwritten_;
};

}  // namespace filecall::worker::llm
