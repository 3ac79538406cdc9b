// SPDX-License-Identifier: MIT
#include "client/batch/waiting_run.h"

#include <fmt/core.h>

#include <utility>

namespace filecall::client {
namespace {

// Lines that wait are read within one turn of the loop: some milliseconds.
constexpr int kHeldPerTurn = 512;

}  // namespace

WaitingRun::WaitingRun(SubmissionFeed& feed, const WaitPlan& plan, std::string folder,
                       RunObserver& observer)
    : feed_(feed),
      plan_(plan),
      observer_(observer),
      progress_(plan.graph()),
      texts_(std::move(folder)) {
  for (const auto& [node, is_success] : plan.ended()) settle(node, is_success);
}

Result<Offer> WaitingRun::next() {
  if (!ready_.empty()) {
    const Node node = ready_.front();
    ready_.pop_front();
    TRY_ASSIGN(Submission submission, release(node));
    return Offer::of(std::move(submission));
  }
  for (int held = 0; !is_exhausted_ && held < kHeldPerTurn; ++held) {
    TRY_ASSIGN(Offer offer, feed_.next());
    is_exhausted_ = offer.kind == Offer::Kind::kEnd;
    if (is_exhausted_) break;
    if (offer.kind != Offer::Kind::kSubmission) return offer;
    const auto node = plan_.find(offer.submission.request_id);
    if (!node || is_stopped_) return offer;
    if (progress_.standing(*node) != WaitProgress::Standing::kWaits) {
      return Offer::of(judged(*node, std::move(offer.submission)));
    }
    TRY(hold(*node, offer.submission));
  }
  if (!is_exhausted_) return Offer::next_turn();
  if (held_.empty()) return Offer::end();
  if (!is_stopped_) return Offer::not_yet();
  TRY_ASSIGN(Submission submission, release(held_.begin()->first));
  return Offer::of(std::move(submission));
}

void WaitingRun::stop() {
  is_stopped_ = true;
  ready_.clear();  // They are held as well.
}

Result<void> WaitingRun::hold(Node node, const Submission& submission) {
  TRY_ASSIGN(const HeldTexts::Place place, texts_.keep(submission.bytes));
  held_.emplace(node, Held{place, submission.command});
  return {};
}

Result<Submission> WaitingRun::release(Node node) {
  const auto found = held_.find(node);
  Submission submission;
  submission.request_id = plan_.id(node);
  submission.command = std::move(found->second.command);
  TRY_ASSIGN(submission.bytes, texts_.read(found->second.place));
  held_.erase(found);
  return judged(node, std::move(submission));
}

Submission WaitingRun::judged(Node node, Submission submission) const {
  if (!is_stopped_ && progress_.standing(node) == WaitProgress::Standing::kRefused) {
    submission.refusal = refusal_of(node);
  }
  return submission;
}

std::string WaitingRun::refusal_of(Node node) const {
  const Node cause = progress_.cause(node);
  // Whom that one waited for in vain, if this run has seen it.
  Node root = cause;
  for (int i = 0; i < 1000 && progress_.standing(root) == WaitProgress::Standing::kRefused; ++i) {
    root = progress_.cause(root);
  }
  const auto code_text = [this](Node failed) {
    const auto found = failures_.find(failed);
    return found == failures_.end() ? std::string()
                                    : fmt::format(" ({})", to_string(found->second));
  };
  std::string text = fmt::format("not asked: '{}', which it waits for, was given up{}",
                                 plan_.id(cause), code_text(cause));
  if (root != cause) {
    text += fmt::format("; it began with '{}'{}", plan_.id(root), code_text(root));
  }
  return text;
}

void WaitingRun::settle(Node node, bool is_success) {
  released_.clear();
  progress_.settle(node, is_success, released_);
  for (const Node one : released_) {
    // What was not read yet is judged when it is.
    if (held_.contains(one) && !is_stopped_) ready_.push_back(one);
  }
}

void WaitingRun::on_outcome(const RequestOutcome& outcome) {
  if (const auto node = plan_.find(outcome.request_id)) {
    const bool is_success = outcome.state == RequestState::kSuccess;
    if (!is_success) failures_[*node] = outcome.error_code.value_or(ErrorCode::kUnknown);
    settle(*node, is_success);
  }
  observer_.on_outcome(outcome);
}

}  // namespace filecall::client
