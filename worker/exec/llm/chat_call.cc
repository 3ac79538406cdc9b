// SPDX-License-Identifier: MIT
#include "worker/exec/llm/chat_call.h"

#include <fmt/core.h>

#include <utility>

#include "os/clock.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

constexpr std::size_t kEventBytesMax = 8 * 1024 * 1024;
/// After the last event of a stream, for the end of the transfer itself.
constexpr Duration kLinger = seconds(1);

std::string_view name_of(ChatDelta::Kind kind) {
  switch (kind) {
    case ChatDelta::Kind::kText:
      return "text";
    case ChatDelta::Kind::kReasoning:
      return "reasoning";
    case ChatDelta::Kind::kRefusal:
      return "refusal";
    case ChatDelta::Kind::kToolCall:
      break;
  }
  return "tool_call";
}

bool is_other_format(const std::string& content_type) {
  return content_type.find("json") != std::string::npos ||
         content_type.find("html") != std::string::npos;
}

/// Whether an answer is the kind that a schema speaks of: not cut, not refused, no call of a tool.
bool is_whole_text(const ChatChoice& result) {
  return result.finish_reason == FinishReason::kStop ||
         result.finish_reason == FinishReason::kUnknown;
}

}  // namespace

ChatCall::ChatCall(LlmService& service, Provider& provider, std::string model, ChatOptions options,
                   std::unique_ptr<EventSink> events, std::function<void(Outcome)> done)
    : ProviderCall(service, provider, std::move(model), std::move(done)),
      options_(std::move(options)),
      events_(std::move(events)),
      decoder_(kEventBytesMax),
      begun_at_(monotonic_now()) {}

ChatCall::~ChatCall() {
  *is_here_ = false;
  service_.forget(this);
}

void ChatCall::start(std::function<Result<HttpRequest, Failure>(ProviderCall&)> make) {
  if (options_.schema.is_null()) return ProviderCall::start(std::move(make));
  service_.schemas().compile(options_.schema, [this, is_here = is_here_, make = std::move(make)](
                                                  Result<SchemaChecks::Validator> validator) {
    if (!*is_here || is_over()) return;
    if (!validator) {
      return finish(bad_param("/response_format", "no JSON Schema: " + validator.error().message));
    }
    validator_ = std::move(*validator);
    ProviderCall::start(make);
  });
}

void ChatCall::on_head(int status, const HttpHeaders& headers) {
  ProviderCall::on_head(status, headers);
  const bool is_good = status >= 200 && status < 300;
  if (options_.stream && is_good && !is_other_format(content_type_)) {
    stream_ = make_chat_stream(options_.kind);
    write_event({{"event", "started"}, {"provider", facts_.provider}, {"model", facts_.model}});
  }
}

bool ChatCall::on_body(std::string_view bytes) {
  if (!stream_) return ProviderCall::on_body(bytes);
  if (!decoder_.feed(bytes, [this](const SseEvent& event) { take_event(event); })) {
    is_broken_ = true;
    return false;
  }
  return true;
}

void ChatCall::take_event(const SseEvent& event) {
  const bool was_over = stream_->is_over();
  if (stream_->read(event, [this](const ChatDelta& delta) { take_delta(delta); })) {
    transfer_->progress();
  }
  if (stream_->is_over() && !was_over) transfer_->end_within(kLinger);
}

void ChatCall::take_delta(const ChatDelta& delta) {
  if (!facts_.first_token_ms) facts_.first_token_ms = to_ms(monotonic_now() - begun_at_);
  if (!events_) return;
  if (unwritten_.kind != delta.kind || unwritten_.call != delta.call) flush_all();
  unwritten_.kind = delta.kind;
  unwritten_.call = delta.call;
  unwritten_.text += delta.text;
  service_.flush_soon(this, [this] { flush(); });
}

void ChatCall::flush() { write_deltas(provider_.secrets().begun_at_end(unwritten_.text)); }

void ChatCall::flush_all() { write_deltas(0); }

void ChatCall::write_deltas(std::size_t kept_bytes) {
  if (unwritten_.text.size() <= kept_bytes) return;
  const std::size_t written = unwritten_.text.size() - kept_bytes;
  Json event = {{"event", "delta"},
                {"kind", name_of(unwritten_.kind)},
                {"text", unwritten_.text.substr(0, written)}};
  if (unwritten_.kind == ChatDelta::Kind::kToolCall) event["index"] = unwritten_.call;
  unwritten_.text.erase(0, written);
  write_event(std::move(event));
}

void ChatCall::write_event(Json event) {
  if (!events_) return;
  redact(event, provider_.secrets());
  events_->write(event);
}

Answer ChatCall::read(const std::string& body, const HttpResult& result) {
  if (stream_) return end_of_stream(result);
  const auto json = parse_foreign(body);
  if (!json) {
    const std::string type = content_type_.empty() ? "" : fmt::format(" ({})", content_type_);
    Failure failure =
        fail(bad_response("the response is not JSON in UTF-8" + type), result.headers);
    failure.details["ambiguous"] = true;
    return failure;
  }
  auto decoded = decode_chat(options_.kind, *json);
  if (!decoded) return fail(decoded.error(), result.headers);
  return succeed(*decoded, body);
}

Answer ChatCall::judge_end(const HttpResult& result) {
  return stream_ ? end_of_stream(result) : ProviderCall::judge_end(result);
}

Answer ChatCall::end_of_stream(const HttpResult& result) {
  if (is_broken_) {
    return with_partial(fail(verdict_of(ErrorClass::kTooLarge), nullptr,
                             "one event of the stream is larger than 8 MiB"));
  }
  if (result.end == HttpEnd::kComplete) {
    // What the end left open. Its size was checked when it came.
    (void)decoder_.finish([this](const SseEvent& event) {
      stream_->read(event, [this](const ChatDelta& delta) { take_delta(delta); });
    });
  }
  if (stream_->error()) return with_partial(fail(*stream_->error(), result.headers));
  // Once the provider has said why the model stopped, the answer is whole, whatever the
  // connection does then.
  if (stream_->is_finished()) return succeed(stream_->result(), "");
  if (result.end != HttpEnd::kComplete) {
    const Verdict verdict = judge(result.end, result.was_sent, true);
    return with_partial(
        fail(verdict, nullptr,
             result.message.empty() ? std::string(to_string(result.end)) : result.message));
  }
  Verdict verdict = verdict_of(ErrorClass::kStreamTruncated);
  verdict.is_ambiguous = true;
  return with_partial(fail(verdict, nullptr, "the stream ended before its last event"));
}

Answer ChatCall::succeed(const ChatResult& result, const std::string& body) {
  provider_.note_success(facts_.model);
  Json data = result_data(result);
  add_facts(facts_, result.usage, provider_.config(), data);
  if (facts_.first_token_ms) data["time_to_first_token_ms"] = *facts_.first_token_ms;
  if (options_.raw && !body.empty()) data["raw"] = parse_foreign(body).value_or(Json());
  if (!options_.format || *options_.format == ResponseFormat::Kind::kText) return data;
  for (std::size_t i = result.others.size(); i > 0; --i) {
    const ChatChoice& choice = result.others[i - 1];
    if (is_whole_text(choice)) structured_.push_back({i, choice.text});
  }
  if (is_whole_text(result)) structured_.push_back({0, result.text});
  return data;
}

void ChatCall::settle(Answer answer) {
  if (!answer) return finish(std::move(answer));
  check_next(std::move(*answer));
}

void ChatCall::check_next(Json data) {
  if (structured_.empty()) return finish(std::move(data));
  StructuredText next = std::move(structured_.back());
  structured_.pop_back();
  service_.schemas().check(
      std::move(next.text), validator_,
      [this, is_here = is_here_, choice = next.choice,
       data = std::move(data)](StructuredAnswer structured) mutable {
        if (!*is_here || is_over()) return;
        if (!structured.complaint.empty()) {
          return finish(structure_failure(structured, choice, std::move(data)));
        }
        if (choice == 0) data["parsed"] = structured.parsed;
        if (data.contains("choices")) {
          data["choices"][choice]["parsed"] = std::move(structured.parsed);
        }
        check_next(std::move(data));
      });
}

Failure ChatCall::structure_failure(const StructuredAnswer& structured, std::size_t choice,
                                    Json data) {
  const std::string which = choice == 0 ? "" : fmt::format("choice {}: ", choice + 1);
  Failure failure = fail(verdict_of(ErrorClass::kSchemaInvalid), nullptr,
                         fmt::format("{}{}{}{}", which, structured.pointer,
                                     structured.pointer.empty() ? "" : ": ", structured.complaint));
  failure.details["pointer"] = structured.pointer;
  failure.details["rule"] = structured.complaint;
  if (choice > 0) failure.details["choice"] = choice;
  failure.details["answer"] = std::move(data);
  return failure;
}

Json ChatCall::partial() const {
  Json details = ProviderCall::partial();
  if (!stream_) return details;
  if (details.is_null()) details = Json::object();
  details["partial"] = result_data(stream_->result());
  redact(details, provider_.secrets());
  return details;
}

Failure ChatCall::with_partial(Failure failure) const {
  const ChatResult& result = stream_->result();
  if (!result.text.empty() || !result.tool_calls.empty() || !result.reasoning.empty()) {
    failure.details["partial"] = result_data(result);
  }
  if (facts_.first_token_ms) failure.details["time_to_first_token_ms"] = *facts_.first_token_ms;
  return failure;
}

void ChatCall::on_answer(const Answer&) {
  if (stream_) flush_all();
}

}  // namespace filecall::worker::llm
