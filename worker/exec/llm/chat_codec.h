// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/llm/chat_params.h"
#include "worker/exec/llm/chat_types.h"
#include "worker/exec/llm/profile.h"
#include "worker/exec/llm/surrogate_joiner.h"
#include "worker/exec/llm/wire_error.h"
#include "worker/net/sse_decoder.h"

namespace filecall::worker::llm {

/// What the codecs need to know of a provider.
struct Dialect {
  ProviderKind kind = ProviderKind::kOpenAi;
  const Profile* profile = nullptr;
  /// For formats that require a limit when the request gives none (Anthropic).
  std::int64_t max_tokens = 4096;
};

/// Reads one streamed answer, event by event. Nothing is a success before is_finished().
class ChatStream {
 public:
  using OnDelta = std::function<void(const ChatDelta&)>;

  virtual ~ChatStream() = default;
  /// Calls `on_delta` for each piece of the answer that the event brings. Events after an error
  /// or after the last one are ignored. False: it was no progress (a ping).
  virtual bool read(const SseEvent& event, const OnDelta& on_delta) = 0;

  /// The answer so far.
  const ChatResult& result() const { return result_; }
  const std::optional<WireError>& error() const { return error_; }
  /// The provider said why the model stopped: the answer is whole.
  bool is_finished() const { return is_finished_; }
  /// Nothing more will come.
  bool is_over() const { return is_over_; }

 protected:
  /// The event's data as an object. Null (and an error, when it is none or tells of one) otherwise.
  Json read_object(const SseEvent& event);
  void fail_with(WireError error);

  ChatResult result_;
  std::optional<WireError> error_;
  bool is_finished_ = false;
  bool is_over_ = false;

 private:
  SurrogateJoiner surrogates_;
};

/// The format of a call: the provider's, or that of a body which is sent as it is.
ProviderKind kind_of_call(const ChatParams& params, const Dialect& dialect);
/// Path below the provider's base URL, e.g. "/chat/completions".
std::string chat_path(ProviderKind kind);
/// The body to send, without the extra_body of anybody. Failure: invalid_argument, something asked
/// for cannot be said to that provider.
Result<Json, Failure> encode_chat(const ChatParams& params, const Dialect& dialect);
/// Why encode_chat() fails; nullopt: it does not. Mostly without making a body.
std::optional<Failure> refuse_chat(const ChatParams& params, const Dialect& dialect);
/// A whole body that came with a good status. A WireError of status 200: it holds an error, or is
/// not what was expected ("bad_response").
Result<ChatResult, WireError> decode_chat(ProviderKind kind, const Json& body);
std::unique_ptr<ChatStream> make_chat_stream(ProviderKind kind);

/// The type of a WireError for an answer that is none.
inline constexpr std::string_view kBadResponseType = "bad_response";
WireError bad_response(std::string message);

/// The optional params of llm.chat that a provider takes, by name. Pure.
std::vector<std::string> optional_params(ProviderKind kind, const Profile& profile);

/// Failure for a field that the profile does not know.
Failure unknown_field(std::string_view field, const Dialect& dialect);

}  // namespace filecall::worker::llm
