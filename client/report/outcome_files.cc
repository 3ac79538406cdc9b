// SPDX-License-Identifier: MIT
#include "client/report/outcome_files.h"

#include <utility>

#include "client/service/last_answer.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/io.h"

namespace filecall::client {
namespace {

Result<Response> read_response(const spool::Layout& layout, const RequestOutcome& outcome) {
  TRY_ASSIGN(const LastAnswer answer, last_answer(layout, outcome.request_id, outcome.state));
  return parse_response(answer.bytes, outcome.request_id);
}

}  // namespace

Response final_response(const spool::Layout& layout, const RequestOutcome& outcome) {
  if (outcome.response) return *outcome.response;
  const bool is_success = outcome.state == RequestState::kSuccess;
  auto response = read_response(layout, outcome);
  if (response && response->is_success() == is_success) return std::move(*response);
  Response made;
  made.request_id = outcome.request_id;
  made.failure.emplace();
  made.failure->code = outcome.error_code.value_or(ErrorCode::kUnknown);
  made.failure->message = outcome.error_message;
  if (is_success) {
    made.failure->code = ErrorCode::kDataLoss;
    made.failure->message =
        response ? "the response is no success any more" : response.error().message;
  }
  return made;
}

Json request_metadata(const spool::Layout& layout, const std::string& request_id) {
  const auto bytes = read_file(layout.request(request_id), limits::kRequestBytesMax);
  if (!bytes) return nullptr;
  const auto parsed = parse_json_strict(*bytes, limits::kDepthMax);
  return parsed && parsed->is_object() ? parsed->value("metadata", Json()) : Json();
}

}  // namespace filecall::client
