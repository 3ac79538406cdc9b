// SPDX-License-Identifier: MIT
// Lines of OpenAI's Batch API, the answers that become lines again, and the tables of prices. A
// line that is read is a request that a worker takes; any response is a line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "client/core/price_table.h"
#include "client/openai/batch_line.h"
#include "client/openai/batch_result.h"
#include "client/openai/responses_body.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "ipc/strict_parser.h"

namespace {

using namespace filecall;
using namespace filecall::client;

void check_line(const Json& object) {
  if (const auto params = chat_params_of_responses(object); !params) {
    CHECK(params.error().starts_with("/body"), "a refusal names the place");
  }
  if (!is_openai_batch_line(object)) return;
  const auto line = read_openai_batch_line(object);
  if (!line) {
    CHECK(!line.error().empty() && is_valid_utf8(line.error()), "a refusal has a reason");
    return;
  }
  Json request = request_for(*line);
  request["request_id"] = "a";
  CHECK(parse_request(dump_json(request), "a").has_value(), "a line becomes a request");
}

void check_response(std::string_view text) {
  const auto response = parse_response(text, "a");
  if (!response) return;
  const auto ref = OpenAiBatchRef::of(response->metadata, "a");
  for (const char* url : {"/v1/chat/completions", "/v1/responses", "/v1/embeddings"}) {
    const Json line = openai_batch_result({ref.custom_id, url}, *response);
    CHECK(line.at("error").is_null() || line.at("response").is_null() || !response->is_success(),
          "a success is no error");
    CHECK(is_valid_utf8(dump_json(line)), "a line can be written");
  }
}

void check_prices(std::string_view text) {
  const auto prices = parse_prices(text);
  if (!prices) return;
  Response response;
  response.request_id = "a";
  response.data = {{"model", "m"}, {"usage", {{"input_tokens", 5}, {"output_tokens", 7}}}};
  const Spend spend = spend_of(response, *prices);
  CHECK(spend.calls == 1 && std::isfinite(spend.cost) && spend.cost >= 0, "a cost is an amount");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)may_be_openai_batch_line(text);
  check_response(text);
  check_prices(text);
  const auto json = parse_strict(text, limits::kDepth, Strictness::kRequest, "line");
  if (json && json->is_object()) {
    CHECK(may_be_openai_batch_line(text) || !is_openai_batch_line(*json), "no line is missed");
    check_line(*json);
  }
  return 0;
}
