// SPDX-License-Identifier: MIT
#include "client/report/items/pair_output.h"

#include <fmt/core.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "client/report/items/item_json.h"
#include "client/report/items/judging_output.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

bool has_one(const std::vector<PairCandidate>& all, std::string PairCandidate::*member) {
  std::set<std::string_view> names;
  for (const PairCandidate& one : all) names.insert(one.*member);
  return names.size() == 1;
}

}  // namespace

std::vector<std::string> pair_heads() {
  return {"B against A", "B wins [95 %]",    "B better",   "tie",
          "A better",    "order changed it", "no verdict", "items"};
}

std::vector<std::string> pair_row(const std::string& name, const PairTally::Counts& counts) {
  const Estimate rate = counts.win_rate();
  std::string text = percent_text(rate.value);
  if (rate.interval) {
    text += fmt::format(" [{:.1f}, {:.1f}]", rate.interval->low * 100, rate.interval->high * 100);
  }
  return {one_line(name, 80),           text,
          human_count(counts.wins_b),   human_count(counts.ties),
          human_count(counts.wins_a),   human_count(counts.inconsistent),
          human_count(counts.ungraded), human_count(rate.items)};
}

std::string pair_name(const std::string& a, const std::string& b) {
  return a == b ? a : b + " against " + a;
}

std::string_view pair_note() {
  return "A win counts 1, a tie 0.5; an item's pairs are averaged first. A verdict that changes "
         "with the order of the answers is a tie.";
}

std::optional<PairCandidate> pair_candidate(const ReportItem& item) {
  if (item.turns.is_array()) return std::nullopt;
  PairCandidate one{item.request_id, item.subject(), item.prompt_name, item.item, item.repeat};
  one.response_digest = item.response_digest;
  const bool is_whole =
      item.state == RequestState::kSuccess && item.outcome != ItemOutcome::kMissing &&
      item.outcome != ItemOutcome::kRefusal && item.outcome != ItemOutcome::kTruncated;
  if (!is_whole) one.problem = to_string(item.outcome);
  return one;
}

Result<std::vector<PairCandidate>> pair_candidates(ItemSource& source) {
  std::vector<PairCandidate> found;
  std::string conversation;
  TRY(source.each([&](const ReportItem& item) {
    if (item.turns.is_array() && conversation.empty()) conversation = item.request_id;
    auto one = pair_candidate(item);
    if (!one || !one->problem.empty()) return;
    one->vars = item.vars.is_object() ? item.vars : Json::object();
    found.push_back(*std::move(one));
  }));
  // Its first answer alone would be compared.
  if (!conversation.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                conversation + ": is a conversation; judges of pairs compare single answers");
  }
  return found;
}

PairedCandidates pair_up(std::vector<PairCandidate> a, std::vector<PairCandidate> b) {
  const bool same_subject =
      has_one(a, &PairCandidate::subject) && has_one(b, &PairCandidate::subject);
  const bool same_prompt = has_one(a, &PairCandidate::prompt) && has_one(b, &PairCandidate::prompt);
  const auto key_of_candidate = [&](const PairCandidate& one) {
    return std::tuple(same_subject ? std::string() : one.subject,
                      same_prompt ? std::string() : one.prompt, one.item, one.repeat);
  };
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t>, PairCandidate> of_b;
  for (PairCandidate& one : b) {
    auto key = key_of_candidate(one);
    of_b.emplace(std::move(key), std::move(one));
  }
  PairedCandidates paired;
  for (PairCandidate& one : a) {
    const auto found = of_b.find(key_of_candidate(one));
    if (found == of_b.end()) {
      paired.only_a.push_back(std::move(one));
      continue;
    }
    if (found->second.request_id == one.request_id) {
      ++paired.shared;
    } else {
      paired.pairs.emplace_back(std::move(one), std::move(found->second));
    }
    of_b.erase(found);
  }
  for (auto& [key, one] : of_b) paired.only_b.push_back(std::move(one));
  return paired;
}

Json pair_counts_json(const PairTally::Counts& counts) {
  return {{"pairs", counts.pairs()},
          {"wins_a", counts.wins_a},
          {"wins_b", counts.wins_b},
          {"ties", counts.ties},
          {"inconsistent", counts.inconsistent},
          {"ungraded", counts.ungraded},
          {"win_rate", estimate_json(counts.win_rate())}};
}

Json pair_tally_json(const PairTally& tally) {
  Json json = pair_counts_json(tally.all());
  json["groups"] = Json::array();
  for (const auto& [labels, counts] : tally.groups()) {
    Json group = pair_counts_json(counts);
    group["a"] = labels.first;
    group["b"] = labels.second;
    json["groups"].push_back(std::move(group));
  }
  return json;
}

std::string pair_tally_text(const PairTally& tally) {
  std::vector<std::vector<std::string>> rows = {pair_heads()};
  for (const auto& [labels, counts] : tally.groups()) {
    rows.push_back(pair_row(pair_name(labels.first, labels.second), counts));
  }
  if (tally.groups().size() > 1) rows.push_back(pair_row("all", tally.all()));
  return table(rows, {2, 3, 4, 5, 6, 7}) + std::string(pair_note()) + "\n";
}

Json pair_judging_json(const PairJudging& judging) {
  Json list = Json::array();
  for (const auto& [judge, counts] : judging.judges()) list.push_back(judge_json(judge, counts));
  return list;
}

std::vector<std::vector<std::string>> pair_judging_rows(const PairJudging& judging) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [judge, counts] : judging.judges()) rows.push_back(judge_cells(judge, counts));
  return rows;
}

std::string pair_judging_text(const PairJudging& judging) {
  auto rows = pair_judging_rows(judging);
  if (rows.empty()) return {};
  rows.insert(rows.begin(), judge_heads());
  return table(rows, {1, 2, 3, 4});
}

}  // namespace filecall::client
