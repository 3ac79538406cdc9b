// SPDX-License-Identifier: MIT
#include "client/eval/runner/pair_feed.h"

#include <utility>

#include "client/core/digest.h"
#include "client/eval/judge_verdict.h"
#include "client/eval/runner/question_use.h"
#include "client/eval/runner/regular_request.h"
#include "client/grades/line_file.h"
#include "client/service/last_answer.h"
#include "ipc/limits.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

/// Verdicts stand in the judges' responses: what a kill takes of these is made again for nothing.
constexpr std::size_t kKeptBytes = 256 * 1024;

Result<std::optional<PairFeed::Loaded>> load_answer(const spool::Root& root,
                                                    const std::string& id) {
  using None = std::optional<PairFeed::Loaded>;
  TRY_ASSIGN(const auto text, regular_request(root, id));
  auto answer = last_answer(root.layout(), id, RequestState::kSuccess);
  if (!answer && answer.error().code != ErrorCode::kNotFound) return Unexpected(answer.error());
  if (!answer || !text) return None();
  auto request = parse_request(*text, id, {.bytes_max = limits::kRequestBytesMax});
  auto response = parse_response(answer->bytes, id);
  if (!request || !response || !response->is_success()) return None();
  if (outcome_of_response(*response) != EvaluationOutcome::kGraded) return None();
  return std::optional(
      PairFeed::Loaded{{std::move(*request), std::move(response->data)}, digest_of(answer->bytes)});
}

std::string pair_key(const std::string& a, const std::string& b) { return a + "\n" + b; }

}  // namespace

struct PairFeed::Sides {
  Loaded a;
  Loaded b;
};

PairFeed::PairFeed(const spool::Root& root, const PairRule& rule,
                   const std::vector<AskedPair>& pairs, const TokenPrices& prices, Options options,
                   Visit visit)
    : root_(root),
      rule_(rule),
      judge_(rule),
      pairs_(pairs),
      prices_(prices),
      options_(std::move(options)),
      visit_(std::move(visit)),
      questions_(root.layout()) {}

Result<std::unique_ptr<PairFeed>> PairFeed::open(const spool::Root& root, const PairRule& rule,
                                                 const std::vector<AskedPair>& pairs,
                                                 const TokenPrices& prices, Options options,
                                                 Visit visit) {
  std::unique_ptr<PairFeed> feed(
      new PairFeed(root, rule, pairs, prices, std::move(options), std::move(visit)));
  TRY(each_line_of(root.layout().preferences(),
                   [&](std::string_view text, std::int64_t) -> Result<void> {
                     auto record = parse_pair_record(text);
                     if (!record || record->evaluation != feed->options_.evaluation) return {};
                     const std::string key = pair_key(record->a.request_id, record->b.request_id);
                     feed->known_[key] = std::move(*record);
                     return {};
                   }));
  return feed;
}

Result<std::optional<PairFeed::Sides>> PairFeed::load(const AskedPair& pair) const {
  TRY_ASSIGN(auto a, load_answer(root_, pair.request_a));
  TRY_ASSIGN(auto b, load_answer(root_, pair.request_b));
  if (!a || !b) return std::optional<Sides>();
  if (!a->subject.request.metadata.is_object()) a->subject.request.metadata = Json::object();
  a->subject.request.metadata["vars"] = pair.vars;
  return std::optional(Sides{std::move(*a), std::move(*b)});
}

Result<Offer> PairFeed::next() {
  for (;;) {
    if (error_) return Unexpected(*error_);
    if (auto submission = questions_.take()) return Offer::of(*std::move(submission));
    if (next_ == pairs_.size()) return waiting_ > 0 ? Offer::not_yet() : Offer::end();
    if (interruption != nullptr && interruption->is_requested()) return Offer::end();
    TRY(look_at(next_++));
  }
}

Result<void> PairFeed::look_at(std::size_t at) {
  TRY_ASSIGN(const auto sides, load(pairs_[at]));
  if (!sides) {
    ++gone_;
    return {};
  }
  const auto known = known_.find(pair_key(pairs_[at].request_a, pairs_[at].request_b));
  const bool is_known = known != known_.end() && known->second.verdict.winner &&
                        known->second.rule_digest == rule_.digest &&
                        known->second.a.response_digest == sides->a.digest &&
                        known->second.b.response_digest == sides->b.digest;
  if (is_known) {
    PairRecord record = known->second;
    record.a.label = pairs_[at].label_a;
    record.b.label = pairs_[at].label_b;
    visit_(record, true);
    return {};
  }
  auto questions = judge_.questions(sides->a.subject, sides->b.subject);
  if (questions.empty()) return conclude(*sides, pairs_[at], {});
  ++waiting_;
  questions_.ask(std::make_shared<OpenQuestions::Waiter>(at), std::move(questions));
  return {};
}

void PairFeed::on_outcome(const RequestOutcome& outcome) {
  for (const OpenQuestions::WaiterPtr& waiter : questions_.on_outcome(outcome)) {
    if (const auto done = answered(waiter); !done && !error_) error_ = done.error();
  }
}

Result<void> PairFeed::answered(const OpenQuestions::WaiterPtr& waiter) {
  const AskedPair& pair = pairs_[waiter->subject()];
  TRY_ASSIGN(const auto sides, load(pair));
  if (!sides) {
    --waiting_;
    ++gone_;
    return {};
  }
  std::vector<Reply> replies;
  for (const Question& question : judge_.questions(sides->a.subject, sides->b.subject)) {
    replies.push_back(questions_.reply(*waiter, question));
  }
  auto again = judge_.questions_again(sides->a.subject, sides->b.subject, replies);
  if (!waiter->is_second_round && !again.empty()) {
    waiter->is_second_round = true;
    questions_.ask(waiter, std::move(again));
    return {};
  }
  for (const Question& question : again) {
    replies.push_back(questions_.reply(*waiter, question));
  }
  --waiting_;
  return conclude(*sides, pair, replies);
}

Result<void> PairFeed::conclude(const Sides& sides, const AskedPair& pair,
                                const std::vector<Reply>& replies) {
  PairRecord record;
  record.evaluation = options_.evaluation;
  record.rule_digest = rule_.digest;
  record.item = pair.item;
  record.a = {pair.request_a, sides.a.digest, pair.label_a};
  record.b = {pair.request_b, sides.b.digest, pair.label_b};
  record.verdict = judge_.verdict(sides.a.subject, sides.b.subject, replies);
  for (Json& judge : record.verdict.judges) {
    if (const auto cost = cost_of_record(judge, prices_)) judge["cost"] = *cost;
  }
  record.judged_at = wall_now();
  visit_(record, false);
  return keep(render_pair_record(record));
}

Result<void> PairFeed::keep(const std::string& line) {
  if (!options_.writes) return {};
  lines_ += line;
  if (lines_.size() < kKeptBytes) return {};
  return append_lines(root_.layout(), root_.layout().preferences(), std::exchange(lines_, {}),
                      [&](const std::string& text) { on_notice(text); });
}

Result<RunTotals> PairFeed::earlier_use(Ledger& ledger) const {
  QuestionUse use(ledger, root_.layout(), prices_);
  for (const AskedPair& pair : pairs_) {
    if (interruption != nullptr && interruption->is_requested()) break;
    TRY_ASSIGN(const auto sides, load(pair));
    if (!sides) continue;
    const Subject& a = sides->a.subject;
    const Subject& b = sides->b.subject;
    const auto questions = judge_.questions(a, b);
    TRY(use.add(questions));
    const std::vector<Reply> replies(questions.size(), unreadable_reply());
    TRY(use.add(judge_.questions_again(a, b, replies)));
  }
  return use.totals();
}

Result<void> PairFeed::finish() {
  if (error_) return Unexpected(*error_);
  return append_lines(root_.layout(), root_.layout().preferences(), std::exchange(lines_, {}),
                      [&](const std::string& text) { on_notice(text); });
}

void PairFeed::on_notice(const std::string& text) {
  if (notice) notice(text);
}

}  // namespace filecall::client
