// SPDX-License-Identifier: MIT
#include "client/batch/request_maker.h"

#include <utility>

#include "client/openai/batch_line.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {

bool RequestMaker::leaves_as_it_is(std::string_view row) const {
  return format_ == BatchFormat::kRequests ||
         (format_ == BatchFormat::kDetect && !may_be_openai_batch_line(row));
}

std::variant<MadeRequests, std::string> RequestMaker::make(std::string_view row) const {
  auto parsed = parse_json_strict(row, limits::kDepth);
  if (auto* fault = std::get_if<RequestFault>(&parsed)) return std::move(fault->message);
  const Json& json = std::get<Json>(parsed);
  if (format_ == BatchFormat::kDetect && !is_openai_batch_line(json)) {
    return MadeRequests{{}, {std::string(row)}};
  }
  auto line = read_openai_batch_line(json);
  if (auto* problem = std::get_if<std::string>(&line)) return std::move(*problem);
  const auto& openai = std::get<OpenAiBatchLine>(line);
  return MadeRequests{openai.custom_id, {dump_json(request_for(openai))}};
}

}  // namespace filecall::client
