// SPDX-License-Identifier: MIT
// The request reader. Whatever the bytes are: an answer, never an exception; a refused text has a
// reason in valid UTF-8 (it goes into a response); an accepted one is within its limits, is
// accepted again when rendered, and then says the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/response.h"

namespace {

using filecall::Request;
using filecall::RequestFault;

void check_fault(const RequestFault& fault, std::string_view stem) {
  CHECK(!fault.message.empty(), "a refusal has a reason");
  filecall::Response response;
  response.request_id = std::string(stem);
  response.failure = filecall::Failure{};
  response.failure->code = filecall::ErrorCode::kInvalidArgument;
  response.failure->message = fault.message;
  const std::string text = filecall::render_response(response);
  CHECK(filecall::parse_response(text, stem).has_value(), "a refusal can be answered");
}

void check_request(const Request& request, std::string_view stem) {
  CHECK(request.request_id == stem, "the id is the stem");
  CHECK(request.params.is_object(), "params is an object");
  CHECK(request.metadata.is_null() || request.metadata.is_object(), "metadata is an object");
  CHECK(request.priority >= filecall::limits::kPriorityMin &&
            request.priority <= filecall::limits::kPriorityMax,
        "the priority is in range");
  CHECK(!request.timeout_ms ||
            (*request.timeout_ms >= 1 && *request.timeout_ms <= filecall::limits::kTimeoutMsMax),
        "the timeout is in range");
  const std::string text = filecall::render_request(request);
  const auto again = filecall::parse_request(text, stem);
  CHECK(again.has_value(), "what was accepted is accepted when rendered");
  CHECK(filecall::render_request(*again) == text, "and says the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kStem = "a";
  const auto outcome = filecall::parse_request(bytes, kStem);
  if (!outcome) {
    check_fault(outcome.error(), kStem);
  } else {
    CHECK(filecall::is_valid_utf8(bytes), "what is accepted is UTF-8");
    check_request(*outcome, kStem);
  }
  return 0;
}
