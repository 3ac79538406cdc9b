// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/eval/grader.h"
#include "client/eval/selection.h"

namespace filecall::client {

/// One evaluation, as its YAML file describes it. Immutable once read.
struct EvalSpec {
  std::string name;  ///< Under this name it stands in eval/{id}.json.
  std::string description;
  Selection selection;
  bool grades_refusals = false;          ///< Grade refusals like any answer.
  bool grades_truncated = false;         ///< The same for cut answers.
  std::optional<double> threshold;       ///< An answer passes from this score on.
  std::optional<double> min_score;       ///< Of the mean over all graded answers.
  std::optional<double> max_error_rate;  ///< Above it the run is invalid.
  std::vector<std::unique_ptr<Grader>> graders;
  /// Of everything that a grade depends on: graders, judges, the files they name, thresholds of
  /// grades; not of what is selected, or of the run's thresholds.
  std::string digest;
  /// "grader: sha256:..." for each judge grader, to be pinned.
  std::vector<std::string> prompt_digests;
};

/// Reads a file that a specification names; relative to the specification.
using SpecFileReader = std::function<Result<std::string>(const std::string& path)>;

/// Reads a specification. Failure: invalid_argument listing every mistake, one a line, each
/// "file:line:column: key: what it must be". Pure, but for `read_file`.
Result<EvalSpec> read_eval_spec(const std::string& yaml, const std::string& file_name,
                                const SpecFileReader& read_file);

}  // namespace filecall::client
