// SPDX-License-Identifier: MIT
// A whole answer of a model's provider. The first byte says which of the three wire formats it is
// in and which status it has. Any body is an answer or an error, either of which can be sent on;
// what an error asks to wait is bounded.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "worker/exec/json_read.h"
#include "worker/exec/llm/chat_codec.h"
#include "worker/exec/llm/chat_data.h"
#include "worker/exec/llm/error_table.h"
#include "worker/exec/llm/local_search.h"
#include "worker/net/retry_after.h"

namespace {

using namespace filecall;
namespace llm = filecall::worker::llm;
using filecall::worker::HttpHeaders;

void check_error(const llm::WireError& error, const HttpHeaders& headers) {
  llm::Verdict verdict = llm::judge(error, headers, WallTime{seconds(1'790'000'000)});
  CHECK(!verdict.retry_after ||
            (*verdict.retry_after >= Duration::zero() && *verdict.retry_after <= worker::kWaitMax),
        "a wait is bounded");
  llm::bound_wait(verdict, seconds(600));
  CHECK(!verdict.is_retryable || verdict.retry_after.value_or(seconds(0)) <= seconds(600),
        "nobody waits longer than allowed");
  CHECK(!llm::to_string(verdict.error_class).empty(), "a class has a name");
  const Failure failure = llm::make_failure(verdict, {"p", "m", error.status, "", {}}, &error, "");
  CHECK(is_valid_utf8(failure.message) && is_valid_utf8(dump_json(failure.details)),
        "a failure can be sent");
  CHECK(!llm::fingerprint(error).empty(), "equal failures can be told");
}

void check_result(const llm::ChatResult& result) {
  const Json data = llm::result_data(result);
  CHECK(data.is_object() && is_valid_utf8(dump_json(data)), "a result can be sent");
  llm::ProviderConfig provider;
  provider.prices.add("*", {1, 2, 0.5});
  const auto cost = llm::cost_of(result.usage, provider, "m", "m-1");
  CHECK(!cost || (std::isfinite(*cost) && *cost >= 0), "a cost is an amount");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto kind = static_cast<llm::ProviderKind>(data[0] % 3);
  constexpr int kStatuses[] = {400, 401, 403, 404, 408, 429, 500, 503, 529};
  const int status = kStatuses[data[0] / 3 % std::size(kStatuses)];
  HttpHeaders headers;
  headers.add("Retry-After", body.substr(0, 40));
  headers.add("x-should-retry", data[0] & 1 ? "true" : "false");
  check_error(llm::wire_error_of_body(body, status), headers);
  for (const std::string& id : llm::model_ids(body)) CHECK(is_valid_utf8(id), "an id is text");
  const auto json = worker::parse_foreign(body);
  if (!json) return 0;
  if (const auto error = llm::find_wire_error(*json, 200)) check_error(*error, headers);
  const auto answer = llm::decode_chat(kind, *json);
  if (answer) {
    check_result(*answer);
  } else {
    check_error(answer.error(), headers);
  }
  return 0;
}
