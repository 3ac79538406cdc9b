// SPDX-License-Identifier: MIT
// A streamed answer of a model, as some provider might send it. The first byte says which of the
// three wire formats reads it and where the bytes are cut into chunks. However it is cut, the same
// comes out; nothing is a success without the provider's word that the answer is whole; nothing is
// told after an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "worker/exec/llm/chat_codec.h"
#include "worker/exec/llm/chat_data.h"
#include "worker/net/sse_decoder.h"

namespace {

using filecall::worker::SseDecoder;
using filecall::worker::SseEvent;
namespace llm = filecall::worker::llm;

/// Small, so that the limit is met too.
constexpr std::size_t kEventBytesMax = 8 * 1024;

struct Reading {
  std::unique_ptr<llm::ChatStream> stream;
  bool is_broken = false;  ///< The decoder gave up.
  bool saw_end = false;    ///< Some event had a word that ends an answer.
  std::size_t comments = 0;
  std::string told;  ///< All deltas.
};

/// What an event without any of these cannot bring about.
bool may_end(llm::ProviderKind kind, std::string_view data) {
  // Letters of a word may be written as escapes.
  if (data.find("\\u") != std::string_view::npos) return true;
  switch (kind) {
    case llm::ProviderKind::kOpenAi:
      return data.find("finish_reason") != std::string_view::npos;
    case llm::ProviderKind::kOpenAiResponses:
      return data.find("response.completed") != std::string_view::npos ||
             data.find("response.incomplete") != std::string_view::npos;
    case llm::ProviderKind::kAnthropic:
      break;
  }
  return data.find("message_stop") != std::string_view::npos;
}

Reading read(llm::ProviderKind kind, std::string_view bytes, std::size_t chunk) {
  Reading reading;
  reading.stream = llm::make_chat_stream(kind);
  SseDecoder decoder(kEventBytesMax);
  const auto on_event = [&](const SseEvent& event) {
    const bool was_over = reading.stream->is_over();
    const bool had_error = reading.stream->error().has_value();
    reading.saw_end = reading.saw_end || may_end(kind, event.data);
    reading.stream->read(event, [&](const llm::ChatDelta& delta) {
      CHECK(!had_error, "nothing is told after an error");
      reading.told += delta.text;
    });
    CHECK(!was_over || reading.stream->is_over(), "what is over stays over");
  };
  for (std::size_t at = 0; at < bytes.size() && !reading.is_broken; at += chunk) {
    reading.is_broken = !decoder.feed(bytes.substr(at, chunk), on_event);
  }
  if (!reading.is_broken) reading.is_broken = !decoder.finish(on_event);
  reading.comments = decoder.comments();
  return reading;
}

bool is_success(const Reading& reading) {
  return !reading.is_broken && !reading.stream->error() && reading.stream->is_finished();
}

void check_one(const Reading& reading) {
  if (is_success(reading)) {
    CHECK(reading.saw_end, "never a success without the word that ends an answer");
  }
  // Must be renderable whatever came: it goes into a response.
  CHECK(llm::result_data(reading.stream->result()).is_object(), "a result is an object");
}

void check_same(const Reading& whole, const Reading& cut) {
  CHECK(whole.is_broken == cut.is_broken, "limits do not depend on chunks");
  CHECK(whole.told == cut.told, "nor does what is told");
  CHECK(is_success(whole) == is_success(cut), "nor success");
  CHECK(whole.stream->is_over() == cut.stream->is_over(), "nor the end");
  CHECK(whole.stream->error().has_value() == cut.stream->error().has_value(), "nor an error");
  if (whole.stream->error()) {
    CHECK(whole.stream->error()->message == cut.stream->error()->message, "nor its words");
  }
  CHECK(llm::result_data(whole.stream->result()) == llm::result_data(cut.stream->result()),
        "nor the result");
  CHECK(whole.comments == cut.comments, "nor pings");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  // In the corpus: 'c' Chat Completions, 'a' Responses, 'b' Messages.
  const unsigned first = data[0];
  const auto kind = static_cast<llm::ProviderKind>(first % 3);
  const std::size_t chunk = 1 + first / 3 % 64;
  const Reading whole = read(kind, bytes, std::max<std::size_t>(bytes.size(), 1));
  check_one(whole);
  check_same(whole, read(kind, bytes, 1));
  if (chunk > 1) check_same(whole, read(kind, bytes, chunk));
  return 0;
}
