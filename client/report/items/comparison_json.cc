// SPDX-License-Identifier: MIT
#include "client/report/items/comparison_output.h"
#include "client/report/items/item_json.h"
#include "client/report/items/score_text.h"

namespace filecall::client {
namespace {

Json paired_json(const PairedComparison& paired) {
  Json json = {{"items", paired.items},
               {"only_a", paired.only_a},
               {"only_b", paired.only_b},
               {"mean_a", paired.mean_a},
               {"mean_b", paired.mean_b},
               {"difference", paired.difference},
               {"standard_error", nullptr},
               {"low", nullptr},
               {"high", nullptr},
               {"p_value", nullptr},
               {"sign_test_p", paired.sign_test_p},
               {"wins", paired.wins},
               {"ties", paired.ties},
               {"losses", paired.losses}};
  if (paired.standard_error) json["standard_error"] = *paired.standard_error;
  if (paired.p_value) json["p_value"] = *paired.p_value;
  if (paired.interval) {
    json["low"] = paired.interval->low;
    json["high"] = paired.interval->high;
  }
  return json;
}

Json key_json(const GroupKey& key) { return {{"model", key.subject}, {"prompt_name", key.prompt}}; }

Json pair_json(const GroupPair& pair) {
  Json json = {{"a", group_json(*pair.tally_a)},           {"b", group_json(*pair.tally_b)},
               {"score", paired_json(pair.score)},         {"gated", paired_json(pair.gated)},
               {"pass_rate", paired_json(pair.pass_rate)}, {"graders", Json::object()}};
  json["a"].update(key_json(pair.a));
  json["b"].update(key_json(pair.b));
  for (const auto& [name, paired] : pair.graders) json["graders"][name] = paired_json(paired);
  return json;
}

Json change_json(const ItemChange& change, const RunComparison& comparison) {
  const GroupPair& pair = comparison.pairs[change.pair];
  return {{"item", change.item},
          {"group", pair_label(pair)},
          {"score_a", change.score_a},
          {"score_b", change.score_b},
          {"difference", change.difference()},
          {"prompt", change.prompt},
          {"request_a", change.request_a},
          {"request_b", change.request_b},
          {"answer_a", change.answer_a},
          {"answer_b", change.answer_b}};
}

}  // namespace

Json comparison_json(const RunComparison& comparison, const ComparedNames& names) {
  Json json = {{"format", "filecall-comparison"},
               {"version", 1},
               {"a", names.a},
               {"b", names.b},
               {"confidence", kConfidence},
               {"score_is", kScoreDefinition},
               {"missing", {{"count", comparison.missing_count}, {"items", Json::array()}}},
               {"groups", Json::array()},
               {"all", paired_json(comparison.all)},
               {"only_a", Json::array()},
               {"only_b", Json::array()},
               {"regressions", comparison.regressions},
               {"improvements", comparison.improvements},
               {"notes", comparison.notes},
               {"pairs", pair_sections_json(comparison.judged_pairs)},
               {"changes", Json::array()}};
  for (const GroupPair& pair : comparison.pairs) json["groups"].push_back(pair_json(pair));
  for (const GroupKey& key : comparison.only_a) json["only_a"].push_back(key_json(key));
  for (const GroupKey& key : comparison.only_b) json["only_b"].push_back(key_json(key));
  for (const MissingItem& missing : comparison.missing) {
    Json outcome = missing.outcome_b.empty() ? Json() : Json(missing.outcome_b);
    json["missing"]["items"].push_back({{"item", missing.item},
                                        {"group", pair_label(comparison.pairs[missing.pair])},
                                        {"score_a", missing.score_a},
                                        {"outcome_b", std::move(outcome)}});
  }
  for (const ItemChange& change : comparison.changes) {
    json["changes"].push_back(change_json(change, comparison));
  }
  return json;
}

}  // namespace filecall::client
