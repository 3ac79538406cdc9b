// SPDX-License-Identifier: MIT
#include "client/report/openai_writer.h"

#include <utility>

#include "client/openai/batch_result.h"
#include "client/report/outcome_files.h"
#include "client/service/last_answer.h"
#include "ipc/json.h"

namespace filecall::client {

std::string openai_error_path(const std::string& output_path) {
  constexpr std::string_view kSuffix = ".jsonl";
  const bool has_suffix = output_path.size() > kSuffix.size() && output_path.ends_with(kSuffix);
  const std::string stem =
      has_suffix ? output_path.substr(0, output_path.size() - kSuffix.size()) : output_path;
  return stem + ".errors.jsonl";
}

Result<OpenAiWriter> OpenAiWriter::create(const std::string& path, const spool::Layout& layout) {
  TRY_ASSIGN(OutputFile output, OutputFile::create(path));
  TRY_ASSIGN(OutputFile errors, OutputFile::create(openai_error_path(path)));
  return OpenAiWriter(std::move(output), std::move(errors), layout);
}

void OpenAiWriter::add(const RequestOutcome& outcome) {
  const Response response = final_response(layout_, outcome);
  if (outcome.state == RequestState::kSuccess && !response.is_success()) ++lost_;
  // What was given up without an answer has its metadata only in the request.
  const Json metadata = response.metadata.is_object()
                            ? response.metadata
                            : request_metadata(layout_, outcome.request_id);
  const auto ref = OpenAiBatchRef::of(metadata, outcome.request_id);
  OutputFile& file = response.is_success() ? output_ : errors_;
  file.write(dump_json(openai_batch_result(ref, response)) + "\n");
}

Result<void> OpenAiWriter::finish(bool has_stopped) {
  if (lost_ == 0 && !has_stopped) {
    TRY(output_.finish());
    return errors_.finish();
  }
  const auto finish_one = [this](OutputFile& file) {
    return lost_ > 0 ? file.finish_incomplete(lost_) : file.finish_stopped();
  };
  const auto output = finish_one(output_);
  const auto errors = finish_one(errors_);
  return output ? errors : output;
}

}  // namespace filecall::client
