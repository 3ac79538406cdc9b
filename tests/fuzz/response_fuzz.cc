// SPDX-License-Identifier: MIT
// The response reader, which must take what any worker writes: what it accepts can be rendered and
// read again with the same outcome. The status file's reader gets the same bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ipc/response.h"
#include "ipc/worker_status.h"

namespace {

void check_response(const filecall::Response& response, std::string_view stem) {
  const std::string text = filecall::render_response(response);
  const auto again = filecall::parse_response(text, stem);
  CHECK(again.has_value(), "what was accepted is accepted when rendered");
  CHECK(again->is_success() == response.is_success(), "with the same status");
  if (response.failure) {
    CHECK(again->failure->code == response.failure->code, "and the same code");
    CHECK(again->failure->is_retryable() == response.failure->is_retryable(),
          "and the same consequence");
  }
  CHECK(filecall::render_response(*again) == text, "and says the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kStem = "a";
  if (const auto response = filecall::parse_response(bytes, kStem)) {
    check_response(*response, kStem);
  } else {
    CHECK(!response.error().message.empty(), "a refusal has a reason");
  }
  if (const auto status = filecall::parse_worker_status(bytes)) {
    CHECK(filecall::parse_worker_status(filecall::render_worker_status(*status)).has_value(),
          "a status that was accepted is accepted when rendered");
  }
  return 0;
}
