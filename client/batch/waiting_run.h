// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "client/batch/held_texts.h"
#include "client/batch/wait_plan.h"
#include "client/engine/orchestrator.h"

namespace filecall::client {

/// Drives the requests of a batch that wait for others: stands between the batch and the engine,
/// which asks it for the next request and tells it what became of each. A request is handed on once
/// those that it waits for have ended, to be asked or, if one of them was given up, to be given up
/// with that reason. Requests that wait for nobody pass through. What waits is on disk; in memory
/// it has some 100 bytes. After a crash the same batch leads to the same requests: those that have
/// ended free the others again. One thread.
class WaitingRun final : public SubmissionFeed, public RunObserver {
 public:
  /// All must outlive it. `folder`: for what waits; a file without a name.
  WaitingRun(SubmissionFeed& feed, const WaitPlan& plan, std::string folder, RunObserver& observer);

  Result<Offer> next() override;
  void stop() override;
  bool is_open_ended() const override { return !held_.empty(); }
  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress& progress) override { observer_.on_progress(progress); }
  void on_notice(const std::string& text) override { observer_.on_notice(text); }

 private:
  using Node = WaitPlan::Node;
  struct Held {
    HeldTexts::Place place;
    std::string command;
  };
  void settle(Node node, bool is_success);
  Result<void> hold(Node node, const Submission& submission);
  Result<Submission> release(Node node);
  /// With the reason, if it is not to be asked.
  Submission judged(Node node, Submission submission) const;
  std::string refusal_of(Node node) const;

  SubmissionFeed& feed_;
  const WaitPlan& plan_;
  RunObserver& observer_;
  WaitProgress progress_;
  HeldTexts texts_;
  std::unordered_map<Node, Held> held_;  ///< Read, and not handed on.
  std::deque<Node> ready_;               ///< Of these, to be handed on.
  std::unordered_map<Node, ErrorCode> failures_;
  std::vector<Node> released_;
  bool is_exhausted_ = false;
  bool is_stopped_ = false;
};

}  // namespace filecall::client
