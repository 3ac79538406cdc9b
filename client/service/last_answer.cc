// SPDX-License-Identifier: MIT
#include "client/service/last_answer.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "ipc/limits.h"
#include "os/regular_file.h"
#include "spool/own_response.h"

namespace filecall::client {
namespace {

/// A link, a directory or a device in the place of a response counts as none.
Result<LastAnswer> read_answer(std::string path) {
  auto bytes = read_regular_file(path, limits::kResponseBytesMax);
  if (bytes) return LastAnswer{*std::move(bytes), std::move(path), false};
  if (bytes.error().code != ErrorCode::kFailedPrecondition) return Unexpected(bytes.error());
  return fail(ErrorCode::kNotFound, bytes.error().message + ", so it counts as no response");
}

Result<LastAnswer> read_own_answer(const spool::Layout& layout, std::string_view id,
                                   AskedBy asked) {
  TRY_ASSIGN(auto answer, read_answer(layout.response(id)));
  if (const auto own = spool::require_own_response(layout, answer.bytes, id, asked); !own) {
    return fail(ErrorCode::kNotFound, own.error().message);
  }
  return answer;
}

}  // namespace

Result<LastAnswer> last_answer(const spool::Layout& layout, std::string_view id, RequestState state,
                               AskedBy asked) {
  const bool is_given_up = state == RequestState::kGaveUp;
  auto answer = is_given_up ? read_answer(layout.failed(id)) : read_own_answer(layout, id, asked);
  if (answer || answer.error().code != ErrorCode::kNotFound) return answer;
  const std::string first = answer.error().message;
  answer = is_given_up ? read_own_answer(layout, id, asked) : read_answer(layout.client_answer(id));
  if (answer) answer->is_from_cache = !is_given_up;
  if (!answer && answer.error().code == ErrorCode::kNotFound) {
    // Of a response that is there, and another user's.
    struct stat request {};
    if (::lstat(layout.response(id).c_str(), &request) == 0) {
      return fail(ErrorCode::kNotFound, is_given_up ? answer.error().message : first);
    }
    if (::lstat(layout.request(id).c_str(), &request) != 0 && errno == ENOENT) {
      return fail(ErrorCode::kNotFound,
                  layout.response(id) + ": removed by gc or by somebody, with its request");
    }
    // Where people look for it, not where it was looked for last.
    return fail(ErrorCode::kNotFound, layout.response(id) +
                                          ": is not there any more; somebody deleted it, and "
                                          "the next worker executes the request again");
  }
  return answer;
}

Result<Response> last_response(const spool::Layout& layout, std::string_view id, RequestState state,
                               AskedBy asked) {
  TRY_ASSIGN(const LastAnswer answer, last_answer(layout, id, state, asked));
  return parse_response(answer.bytes, id);
}

Response final_response(const spool::Layout& layout, const RequestOutcome& outcome) {
  if (outcome.response) return *outcome.response;
  const bool is_success = outcome.state == RequestState::kSuccess;
  auto response = last_response(layout, outcome.request_id, outcome.state);
  if (response && response->is_success() == is_success) return std::move(*response);
  Response made;
  made.request_id = outcome.request_id;
  made.failure.emplace();
  made.failure->code = outcome.error_code.value_or(ErrorCode::kUnknown);
  made.failure->message = outcome.error_message;
  if (is_success) {
    made.failure->code = ErrorCode::kDataLoss;
    made.failure->message =
        response ? "the response is not a success any more" : response.error().message;
  }
  return made;
}

}  // namespace filecall::client
