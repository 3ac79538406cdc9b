// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/batch/batch_source.h"
#include "client/batch/priority_passes.h"
#include "client/batch/request_maker.h"
#include "client/batch/row_choice.h"
#include "client/batch/wait_plan.h"
#include "client/core/provider_catalog.h"
#include "client/engine/orchestrator.h"
#include "spool/layout.h"

namespace filecall::client {

class IdIndex;

/// What reading the whole input once has shown.
struct BatchCheck {
  std::int64_t requests = 0;
  std::int64_t problem_count = 0;
  /// The first problems in the input's order, at most kProblemsMax: "file:line: what; what to do".
  std::vector<std::string> problems;
  /// Members that nobody knows, each once with its first place and how many there are. (With
  /// `is_strict` they are problems.)
  std::vector<std::string> warnings;
  /// There are params that not every provider takes.
  bool has_options = false;
  std::int64_t conversations = 0;   ///< Of the requests: those that further turns follow, or may.
  std::int64_t turns = 0;           ///< Of all conversations.
  bool has_waits = false;           ///< Some wait for others.
  std::set<int> priorities{};       ///< That requests state.
  bool has_usual_priority = false;  ///< Some state none.

  bool is_good() const { return problem_count == 0; }
};

/// Which pass over the input of a batch began last.
struct BatchReading {
  std::uint64_t latest = 0;
};

/// What a batch asks, one request at a time.
class BatchSubmissions : public SubmissionFeed {
 public:
  /// Of the last submission: see MadeOfRow.
  virtual const std::string& conversation() const = 0;
};

/// The input of one run: JSONL files, folders of request files, standard input; rows that are no
/// requests are made into them. It is read twice: check() reads all of it before anything is
/// dropped, feed() streams it. Memory does not grow with the input; equal content gets the same ids
/// in every run. Not thread-safe.
class Batch {
 public:
  static constexpr std::size_t kProblemsMax = 20;

  /// See open_batch_sources.
  static Result<std::unique_ptr<Batch>> open(const std::vector<std::string>& inputs,
                                             RequestMaker maker, const spool::Layout& layout,
                                             int stdin_fd, std::optional<RowSyntax> syntax = {});
  ~Batch();

  /// What people call it: the inputs' names, joined.
  const std::string& name() const { return name_; }
  const std::vector<BatchSource>& sources() const { return sources_; }

  /// Syntax, the rules of a request, ids and names of rows that occur twice in the input, and ids
  /// under which the root already has another request. Failure: the input (or the temporary index)
  /// cannot be read.
  /// `catalog`: the providers that the requests must fit; empty: not known.
  /// `ended_before`: of ids that are waited for and are not in the input.
  Result<BatchCheck> check(bool is_strict = false, const ProviderCatalog& catalog = {},
                           const EndedBefore& ended_before = {});
  /// Which requests wait for which; after a good check().
  const WaitPlan& waits() const { return waits_; }

  /// After a good check(); the batch must outlive the feed, and only the feed that was asked first
  /// after all others is read on. In the order of the input, or of the passes. Fails midway when
  /// the input changed since it was checked.
  std::unique_ptr<BatchSubmissions> feed(PriorityPasses passes = {});

  /// Tells of all that a feed would give: ids, and metadata as JSON text (empty: none). Failures:
  /// the feed's, those of `visit`.
  using VisitListed =
      std::function<Result<void>(std::string_view request_id, std::string_view metadata)>;
  Result<void> list(const VisitListed& visit);
  /// What makes requests of the rows.
  const BatchPlan& plan() const { return maker_.plan(); }

 private:
  Batch(std::vector<BatchSource> sources, RequestMaker maker, spool::Layout layout);

  std::vector<BatchSource> sources_;
  RequestMaker maker_;
  RowChoice choice_;
  spool::Layout layout_;
  std::string name_;
  std::unique_ptr<IdIndex> ids_;
  BatchReading reading_;
  WaitPlan waits_;
};

}  // namespace filecall::client
