// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/eval/grader.h"
#include "client/eval/pair_judge.h"
#include "client/eval/selection.h"

namespace filecall::client {

/// A column that the specification names; a name that no row has is misspelt.
struct NamedColumn {
  std::string where;  ///< "grader 'city': expected_var": for people.
  std::string column;
  bool is_label = false;  ///< It may also be another member of the metadata.
};

/// One evaluation, as its YAML file describes it. Immutable once read.
struct EvalSpec {
  std::string name;  ///< Under this name grades stand in eval/.
  std::string description;
  Selection selection;
  bool grades_refusals = false;   ///< Grade refusals like any answer.
  bool grades_truncated = false;  ///< The same for cut answers.
  /// Outcomes without a grade that count as a score of 0; others are left out of scores.
  std::set<EvaluationOutcome> zeros = {EvaluationOutcome::kSchemaInvalid};
  std::optional<double> threshold;       ///< An answer passes from this score on.
  std::optional<double> min_score;       ///< Of the mean over all graded answers.
  std::optional<double> max_error_rate;  ///< Above it the run is invalid.
  std::vector<std::unique_ptr<Grader>> graders;
  /// Of each grader: all that its grades of an answer depend on; not its name and weight.
  std::vector<std::string> grader_digests;
  std::vector<NamedColumn> columns;
  std::vector<Judge> judges;         ///< That it asks; one that several graders have, as often.
  std::optional<PairRule> pairwise;  ///< Which of two answers is better.
  /// The column in which a row names its graders; empty: conditions alone decide.
  std::string graders_var;
  /// Of everything that a grade depends on: graders, judges, the files they name, thresholds of
  /// grades; not of what is selected, or of the run's thresholds.
  std::string digest;
  /// "grader: sha256:..." for each judge grader, to be pinned.
  std::vector<std::string> prompt_digests;
};

/// "Count as 0: schema_invalid. Left out: errors, refusals, ...": for people.
std::string zeros_text(const EvalSpec& spec);

/// Reads a file that a specification names; relative to the specification.
using SpecFileReader = std::function<Result<std::string>(const std::string& path)>;

/// Reads a specification. Failure: invalid_argument listing every mistake, one a line, each
/// "file:line:column: key: what it must be". Pure, but for `read_file`.
Result<EvalSpec> read_eval_spec(const std::string& yaml, const std::string& file_name,
                                const SpecFileReader& read_file);

}  // namespace filecall::client
