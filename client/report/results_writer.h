// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/core/request_state.h"
#include "client/report/output_file.h"
#include "client/runs/run_metadata.h"
#include "spool/layout.h"

namespace filecall::client {

/// `--out`: one JSON line an outcome, with the `data` of successful responses joined in from their
/// files and the error of given-up ones. The lines come in order of the ends. Not thread-safe.
class ResultsWriter {
 public:
  static Result<ResultsWriter> create(std::string path, const spool::Layout& layout);

  /// What the run says of its requests, which stands for what their answers echo.
  void use_metadata(RunMetadata metadata) { metadata_ = std::move(metadata); }
  void add(const RequestOutcome& outcome);
  /// A conversation: one line with the last answer's `data` and `turns`. `shown`: its state, and
  /// what else a line has; `id`: the request that began it.
  void add_conversation(const RequestOutcome& shown, const Json& last_data, Json turns);
  /// See OutputFile::finish, finish_incomplete when an answer of a success was not there, and
  /// finish_stopped when the run stopped early.
  Result<void> finish(bool has_stopped = false) {
    if (lost_ > 0) return file_.finish_incomplete(lost_);
    return has_stopped ? file_.finish_stopped() : file_.finish();
  }

 private:
  ResultsWriter(OutputFile file, spool::Layout layout)
      : file_(std::move(file)), layout_(std::move(layout)) {}

  OutputFile file_;
  spool::Layout layout_;
  RunMetadata metadata_;
  std::int64_t lost_ = 0;  ///< Successes whose answers are not there.
};

}  // namespace filecall::client
