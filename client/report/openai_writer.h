// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "client/core/request_state.h"
#include "client/report/output_file.h"
#include "spool/layout.h"

namespace filecall::client {

/// Where the failures of an output file go: "out.errors.jsonl" beside "out.jsonl".
std::string openai_error_path(const std::string& output_path);

/// `--out-openai`: the output file and the error file of OpenAI's Batch API. Both are written, so
/// that no older error file stays beside a newer output. Lines come in order of the ends. Not
/// thread-safe.
class OpenAiWriter {
 public:
  static Result<OpenAiWriter> create(const std::string& path, const spool::Layout& layout);

  void add(const RequestOutcome& outcome);
  /// As of ResultsWriter.
  Result<void> finish(bool has_stopped = false);

 private:
  OpenAiWriter(OutputFile output, OutputFile errors, spool::Layout layout)
      : output_(std::move(output)), errors_(std::move(errors)), layout_(std::move(layout)) {}

  OutputFile output_;
  OutputFile errors_;
  spool::Layout layout_;
  std::int64_t lost_ = 0;  ///< Successes whose answers are not there.
};

}  // namespace filecall::client
