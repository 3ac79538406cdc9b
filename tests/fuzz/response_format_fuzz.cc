// SPDX-License-Identifier: MIT
// The params of llm.chat, and the answer that is held against their response_format. A first line
// that is JSON is the params; else the bytes are choices of a schema. What follows is the model's
// text. Whatever the request and the model say: a body or a reason, and a verdict within bounds.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "ipc/limits.h"
#include "ipc/schema_catalog.h"
#include "ipc/strict_parser.h"
#include "tests/support/schema_inputs.h"
#include "worker/exec/llm/chat_codec.h"
#include "worker/exec/llm/schema_cache.h"

namespace {

using namespace filecall;
namespace llm = filecall::worker::llm;

const SchemaValidator& params_validator() {
  static const auto validator =
      SchemaValidator::compile(find_schema("command.llm.chat").value_or("{}"), SchemaOwner::kOurs);
  return *validator;
}

void check_message(const std::string& message) {
  CHECK(!message.empty() && is_valid_utf8(message), "a refusal has a reason that can be sent");
}

void check_answer(const llm::ResponseFormat& format, const std::string& text) {
  if (format.kind != llm::ResponseFormat::Kind::kJsonSchema) return;
  const auto validator = SchemaValidator::compile(format.schema);
  if (!validator) return check_message(validator.error().message);
  const llm::StructuredAnswer answer = llm::read_structured(text, &*validator);
  CHECK(answer.complaint.empty() || answer.parsed.is_null(), "what does not fit is not handed on");
  CHECK(is_valid_utf8(answer.complaint) && is_valid_utf8(answer.pointer),
        "a complaint can be sent");
}

void check_params(const Json& params, const std::string& answer) {
  if (params_validator().check(params)) return;
  const auto chat = llm::parse_chat_params(params);
  if (!chat) return check_message(chat.error().message);
  for (const auto kind : {llm::ProviderKind::kOpenAi, llm::ProviderKind::kOpenAiResponses,
                          llm::ProviderKind::kAnthropic}) {
    for (const char* profile : {"openai", "generic"}) {
      const auto body = llm::encode_chat(*chat, {kind, llm::find_profile(profile), 4096});
      if (!body) {
        check_message(body.error().message);
      } else {
        CHECK(body->is_object() && is_valid_utf8(dump_json(*body)), "a body can be sent");
      }
    }
  }
  if (chat->response_format) check_answer(*chat->response_format, answer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = bytes.find('\n');
  if (end != std::string_view::npos) {
    const auto params =
        parse_strict(bytes.substr(0, end), limits::kDepth, Strictness::kRequest, "input");
    if (params) {
      check_params(*params, std::string(bytes.substr(end + 1)));
      return 0;
    }
  }
  FuzzedDataProvider input(data, size);
  schema_inputs::Writer writer([&](std::uint64_t bound) {
    return input.ConsumeIntegralInRange<std::uint64_t>(0, bound - 1);
  });
  const Json format = {{"type", "json_schema"},
                       {"json_schema", {{"name", "n"}, {"schema", writer.schema()}}}};
  const std::string answer = dump_json(writer.value(3));
  check_params({{"prompt", "p"}, {"response_format", format}}, answer);
  return 0;
}
