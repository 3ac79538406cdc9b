// SPDX-License-Identifier: MIT
#include "client/report/results_writer.h"

#include <utility>

#include "client/report/outcome_files.h"
#include "client/service/last_answer.h"
#include "ipc/json.h"

namespace filecall::client {

Result<ResultsWriter> ResultsWriter::create(std::string path, const spool::Layout& layout) {
  TRY_ASSIGN(OutputFile file, OutputFile::create(std::move(path)));
  return ResultsWriter(std::move(file), layout);
}

void ResultsWriter::add(const RequestOutcome& outcome) {
  Json line = {{"request_id", outcome.request_id},
               {"command", outcome.command},
               {"state", to_string(outcome.state)},
               {"attempts", outcome.attempts},
               {"latency_ms", outcome.latency_ms}};
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
  }
  file_.write(dump_json(line) + "\n");
}

}  // namespace filecall::client
