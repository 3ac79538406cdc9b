// SPDX-License-Identifier: MIT
#include "client/report/results_writer.h"

#include <utility>

#include "client/report/outcome_files.h"
#include "client/service/last_answer.h"
#include "ipc/json.h"

namespace filecall::client {
namespace {

Json head_of(const RequestOutcome& outcome) {
  return {{"request_id", outcome.request_id},
          {"command", outcome.command},
          {"state", to_string(outcome.state)},
          {"attempts", outcome.attempts},
          {"latency_ms", outcome.latency_ms}};
}

}  // namespace

Result<ResultsWriter> ResultsWriter::create(std::string path, const spool::Layout& layout) {
  TRY_ASSIGN(OutputFile file, OutputFile::create(std::move(path)));
  return ResultsWriter(std::move(file), layout);
}

void ResultsWriter::add_conversation(const RequestOutcome& shown, const Json& last_data,
                                     Json turns) {
  Json line = head_of(shown);
  const bool is_success = shown.state == RequestState::kSuccess;
  line["status"] = is_success ? "success" : "error";
  if (is_success) {
    line["data"] = last_data;
  } else {
    line["error_code"] = to_string(shown.error_code.value_or(ErrorCode::kUnknown));
    line["error_message"] = shown.error_message;
  }
  line["turns"] = std::move(turns);
  if (auto own = metadata_.find(shown.request_id)) line["metadata"] = *std::move(own);
  file_.write(dump_json(line) + "\n");
}

void ResultsWriter::add(const RequestOutcome& outcome) {
  Json line = head_of(outcome);
  if (outcome.state == RequestState::kSuccess) {
    line["status"] = "success";
    Response response = final_response(layout_, outcome);
    if (response.is_success()) {
      if (response.data.is_object() && response.data.value("cached", Json()) == true) {
        line["cached"] = true;
      }
      line["data"] = std::move(response.data);
      if (auto own = metadata_.find(outcome.request_id)) response.metadata = *std::move(own);
      if (!response.metadata.is_null()) line["metadata"] = std::move(response.metadata);
    } else {
      ++lost_;
      line["data"] = nullptr;
      line["data_problem"] = response.failure->message;
    }
  } else {
    line["status"] = "error";
    line["error_code"] = to_string(outcome.error_code.value_or(ErrorCode::kUnknown));
    line["error_message"] = outcome.error_message;
    auto own = metadata_.find(outcome.request_id);
    Json metadata = own ? *std::move(own) : request_metadata(layout_, outcome.request_id);
    if (!metadata.is_null()) line["metadata"] = std::move(metadata);
  }
  file_.write(dump_json(line) + "\n");
}

}  // namespace filecall::client
