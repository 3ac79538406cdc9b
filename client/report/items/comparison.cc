// SPDX-License-Identifier: MIT
#include "client/report/items/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/count_text.h"
#include "client/report/items/score_text.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr double kTieOfItems = 1e-9;
constexpr double kSignificant = 0.05;

/// The same clusters with the share of passed answers as their score.
std::vector<Cluster> pass_clusters(std::vector<Cluster> clusters) {
  for (Cluster& cluster : clusters) cluster.score_sum = static_cast<double>(cluster.passes);
  return clusters;
}

PairedComparison compare_clusters(const std::vector<Cluster>& a, const std::vector<Cluster>& b,
                                  const ComparisonOptions& options) {
  PairedComparison result = compare_paired(a, b);
  if (!options.bootstrap) return result;
  std::vector<double> differences;
  for (const ItemPair& pair : pairs_of(a, b)) differences.push_back(pair.b - pair.a);
  result.interval = bootstrap_interval(differences, *options.bootstrap);
  return result;
}

/// What both sides have of an item, each group with the same weight: an item that one side lacks in
/// a group says nothing of a difference there.
void add_pairs(const std::vector<Cluster>& a, const std::vector<Cluster>& b,
               std::vector<Cluster>& all_a, std::vector<Cluster>& all_b) {
  for (const ItemPair& pair : pairs_of(a, b)) {
    all_a.push_back({.item = pair.item, .observations = 1, .score_sum = pair.a});
    all_b.push_back({.item = pair.item, .observations = 1, .score_sum = pair.b});
  }
}

/// Items of several groups together, each item once.
std::vector<Cluster> merged(std::vector<Cluster> clusters) {
  std::sort(clusters.begin(), clusters.end(), [](const Cluster& x, const Cluster& y) {
    return std::tie(x.item, x.score_sum) < std::tie(y.item, y.score_sum);
  });
  std::vector<Cluster> out;
  for (const Cluster& cluster : clusters) {
    if (out.empty() || out.back().item != cluster.item) {
      out.push_back(cluster);
      continue;
    }
    out.back().observations += cluster.observations;
    out.back().score_sum += cluster.score_sum;
    out.back().passes += cluster.passes;
  }
  return out;
}

/// Whether each run has one model (or one prompt), which may be called otherwise in the other.
bool have_one_each(const ReportTally& a, const ReportTally& b, std::string GroupKey::*member) {
  for (const ReportTally* run : {&a, &b}) {
    std::set<std::string_view> names;
    for (const auto& [key, group] : run->groups()) names.insert(key.*member);
    if (names.size() != 1) return false;
  }
  return true;
}

/// The items of B with a score of 0 for each that only A has.
std::vector<Cluster> with_zeros(std::size_t index, const std::vector<Cluster>& a,
                                const std::vector<Cluster>& b, RunComparison& comparison) {
  std::vector<Cluster> all = b;
  for (std::size_t i = 0, j = 0; i < a.size(); ++i) {
    while (j < b.size() && b[j].item < a[i].item) ++j;
    if (j < b.size() && b[j].item == a[i].item) continue;
    all.push_back({.item = a[i].item, .observations = 1});
    ++comparison.missing_count;
    MissingItem& missing = comparison.missing.emplace_back();
    missing.pair = index;
    missing.item_key = a[i].item;
    missing.score_a = a[i].mean_score();
  }
  std::sort(all.begin(), all.end(),
            [](const Cluster& x, const Cluster& y) { return x.item < y.item; });
  return all;
}

void pair_groups(const std::shared_ptr<const ReportTally>& run_a,
                 const std::shared_ptr<const ReportTally>& run_b, RunComparison& comparison) {
  const ReportTally& a = *run_a;
  const ReportTally& b = *run_b;
  const auto add = [&](const auto& of_a, const auto& of_b) {
    GroupPair& pair = comparison.pairs.emplace_back();
    pair.a = of_a.first;
    pair.b = of_b.first;
    pair.tally_a = std::shared_ptr<const GroupTally>(run_a, &of_a.second);
    pair.tally_b = std::shared_ptr<const GroupTally>(run_b, &of_b.second);
  };
  const bool same_subject = have_one_each(a, b, &GroupKey::subject);
  const bool same_prompt = have_one_each(a, b, &GroupKey::prompt);
  const auto key_in_both = [&](GroupKey key) {
    if (same_subject) key.subject.clear();
    if (same_prompt) key.prompt.clear();
    return key;
  };
  std::map<GroupKey, const std::pair<const GroupKey, GroupTally>*> of_b;
  for (const auto& group : b.groups()) of_b[key_in_both(group.first)] = &group;
  for (const auto& group : a.groups()) {
    const auto found = of_b.find(key_in_both(group.first));
    if (found == of_b.end()) {
      comparison.only_a.push_back(group.first);
      continue;
    }
    add(group, *found->second);
    of_b.erase(found);
  }
  for (const auto& [key, group] : of_b) comparison.only_b.push_back(group->first);
}

std::string names_of(const ReportTally& run) {
  std::string names;
  for (const auto& [key, group] : run.groups()) {
    names += (names.empty() ? "" : ", ") + one_line(group_key_label(key), 60);
  }
  return names.empty() ? "nothing" : names;
}

void add_changes(std::size_t index, const std::vector<Cluster>& a, const std::vector<Cluster>& b,
                 RunComparison& comparison) {
  for (const ItemPair& pair : pairs_of(a, b)) {
    const double difference = pair.b - pair.a;
    if (std::abs(difference) <= kTieOfItems) continue;
    ++(difference < 0 ? comparison.regressions : comparison.improvements);
    ItemChange& change = comparison.changes.emplace_back();
    change.pair = index;
    change.item_key = pair.item;
    change.score_a = pair.a;
    change.score_b = pair.b;
  }
}

void keep_worst(std::size_t changes_max, std::vector<ItemChange>& changes) {
  std::sort(changes.begin(), changes.end(), [](const ItemChange& x, const ItemChange& y) {
    return std::tuple(x.difference(), x.pair, x.item_key) <
           std::tuple(y.difference(), y.pair, y.item_key);
  });
  if (changes.size() > changes_max) changes.resize(changes_max);
}

/// Grades of one evaluation that another version of its specification made are no others of these.
void note_versions(const ReportTally& a, const ReportTally& b, RunComparison& comparison) {
  const bool knows = !a.spec_digests().empty() && !b.spec_digests().empty();
  const bool is_one = a.spec_digests().size() == 1 && a.spec_digests() == b.spec_digests();
  if (a.evaluation != b.evaluation || !knows || is_one) return;
  comparison.notes.push_back(
      "A and B are graded by different versions of the specification; a difference may be the "
      "graders' doing. 'filecall eval SPEC --run RUN' grades each of them by the same.");
}

/// Adds the items of a pair of groups that were asked with another text.
void add_edited(const std::vector<Cluster>& a, const std::vector<Cluster>& b,
                std::set<std::uint64_t>& edited) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size(); ++i) {
    while (j < b.size() && b[j].item < a[i].item) ++j;
    if (j == b.size() || b[j].item != a[i].item) continue;
    const bool is_known = a[i].question != 0 && b[j].question != 0;
    if (is_known && a[i].question != b[j].question) edited.insert(a[i].item);
  }
}

void note_edited(const std::set<std::uint64_t>& edited, RunComparison& comparison) {
  if (edited.empty()) return;
  comparison.notes.push_back(fmt::format(
      "{} asked with another text in B than in A, under the same name of the prompt, of those with "
      "a score in both; a difference may be the text's doing.",
      counted_noun(static_cast<std::int64_t>(edited.size()), "item was", "items were")));
}

Unexpected<Error> nothing_in_both(const ReportTally& a, const ReportTally& b) {
  const std::int64_t graded_a = a.all().count(ItemOutcome::kGraded);
  const std::int64_t graded_b = b.all().count(ItemOutcome::kGraded);
  const bool is_graded = graded_a > 0 && graded_b > 0;
  return fail(
      is_graded ? ErrorCode::kInvalidArgument : ErrorCode::kFailedPrecondition,
      fmt::format("no item is graded in both: A has {}, B has {}; {}",
                  counted_noun(graded_a, "graded answer"), graded_b,
                  is_graded ? "what is the same question has the same name in both: a column "
                              "'id' of a table, 'item' in the metadata of requests"
                            : "'filecall eval' grades them"));
}

/// What became of an item in B, and what it is called.
void describe_missing(const ReportItem& item, ComparedRun run, RunComparison& comparison) {
  const bool is_a = run == ComparedRun::kA;
  const GroupKey key{item.subject(), item.prompt_name};
  const std::uint64_t item_of = item_key(item.item);
  for (MissingItem& missing : comparison.missing) {
    if (missing.item_key != item_of) continue;
    const GroupPair& pair = comparison.pairs[missing.pair];
    if (key != (is_a ? pair.a : pair.b)) continue;
    (is_a ? missing.item : missing.outcome_b) =
        is_a ? item.item : std::string(to_string(item.outcome));
  }
}

/// What of one side has not ended, or has no grade.
void note_unjudged(const RunComparison& comparison, std::string_view name,
                   std::shared_ptr<const GroupTally> GroupPair::*tally,
                   std::vector<std::string>& missed) {
  std::int64_t pending = 0;
  std::int64_t total = 0;
  std::int64_t never_graded = 0;
  std::int64_t ended = 0;
  for (const GroupPair& pair : comparison.pairs) {
    const GroupTally& group = *(pair.*tally);
    pending += group.count(ItemOutcome::kPending);
    total += group.total();
    never_graded += group.awaiting_grade();
    ended += group.ended();
  }
  if (pending > 0) missed.push_back(fmt::format("{}: {}", name, pending_sentence(pending, total)));
  if (never_graded > 0) {
    missed.push_back(fmt::format("{}: {}", name, ungraded_sentence(never_graded, ended)));
  }
}

}  // namespace

std::string group_key_label(const GroupKey& key) {
  return key.prompt.empty() ? key.subject : key.subject + " / " + key.prompt;
}

std::string pair_label(const GroupPair& pair) {
  const std::string a = group_key_label(pair.a);
  return pair.a == pair.b ? a : group_key_label(pair.b) + " against " + a;
}

Result<RunComparison> compare_runs(ReportTally a, ReportTally b, const ComparisonOptions& options) {
  const auto run_a = std::make_shared<const ReportTally>(std::move(a));
  const auto run_b = std::make_shared<const ReportTally>(std::move(b));
  RunComparison comparison;
  pair_groups(run_a, run_b, comparison);
  note_versions(*run_a, *run_b, comparison);
  if (comparison.pairs.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the two have no model and prompt in common; A has {}, B has {}; name "
                            "one in each, e.g. @model=NAME or @prompt=NAME",
                            names_of(*run_a), names_of(*run_b)));
  }
  std::vector<Cluster> all_a;
  std::vector<Cluster> all_b;
  std::set<std::uint64_t> edited;
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    GroupPair& pair = comparison.pairs[i];
    const std::vector<Cluster> of_a = pair.tally_a->scores().clusters();
    const std::vector<Cluster> of_b = pair.tally_b->scores().clusters();
    pair.score = compare_clusters(of_a, of_b, options);
    pair.pass_rate = compare_clusters(pass_clusters(of_a), pass_clusters(of_b), options);
    for (const auto& [name, scores] : pair.tally_a->graders()) {
      const auto found = pair.tally_b->graders().find(name);
      if (found == pair.tally_b->graders().end()) continue;
      pair.graders[name] = compare_clusters(scores.clusters(), found->second.clusters(), options);
    }
    pair.gated = compare_clusters(of_a, with_zeros(i, of_a, of_b, comparison), options);
    add_changes(i, of_a, of_b, comparison);
    if (pair.a.prompt == pair.b.prompt) add_edited(of_a, of_b, edited);
    add_pairs(of_a, of_b, all_a, all_b);
  }
  comparison.all = compare_clusters(merged(std::move(all_a)), merged(std::move(all_b)), options);
  for (const GroupPair& pair : comparison.pairs) {
    comparison.all.only_a += pair.score.only_a;
    comparison.all.only_b += pair.score.only_b;
  }
  if (comparison.all.items == 0 && options.needs_grades) return nothing_in_both(*run_a, *run_b);
  note_edited(edited, comparison);
  keep_worst(options.changes_max, comparison.changes);
  if (comparison.missing.size() > options.changes_max) {
    comparison.missing.resize(options.changes_max);
  }
  return comparison;
}

void describe_change(const ReportItem& item, ComparedRun run, RunComparison& comparison) {
  const bool has_score =
      item.outcome == ItemOutcome::kGraded || (item.evaluation && item.evaluation->counts_as_zero);
  describe_missing(item, run, comparison);
  if (!has_score) return;
  const bool is_a = run == ComparedRun::kA;
  const GroupKey key{item.subject(), item.prompt_name};
  const std::uint64_t item_of = item_key(item.item);
  for (ItemChange& change : comparison.changes) {
    if (change.item_key != item_of) continue;
    const GroupPair& pair = comparison.pairs[change.pair];
    if (key != (is_a ? pair.a : pair.b)) continue;
    std::string& request = is_a ? change.request_a : change.request_b;
    if (!request.empty()) continue;
    request = item.request_id;
    (is_a ? change.answer_a : change.answer_b) = item.answer;
    change.item = item.item;
    if (change.prompt.empty()) change.prompt = item.prompt;
  }
}

std::vector<std::string> missed_thresholds(const RunComparison& comparison,
                                           const ComparisonThresholds& thresholds) {
  std::vector<std::string> missed;
  if (thresholds.any()) {
    for (const GroupKey& key : comparison.only_a) {
      missed.push_back(one_line(group_key_label(key), 120) +
                       ": only A has it; what B lacks counts as failed");
    }
  }
  if (thresholds.any() && !thresholds.allows_pending) {
    for (const auto& [name, tally] :
         {std::pair("A", &GroupPair::tally_a), std::pair("B", &GroupPair::tally_b)}) {
      note_unjudged(comparison, name, tally, missed);
    }
  }
  for (const GroupPair& pair : comparison.pairs) {
    const PairedComparison& score = pair.gated;
    const std::string name = one_line(pair_label(pair), 120);
    const bool is_significant = score.p_value && *score.p_value < kSignificant;
    if (thresholds.fail_on_regression && score.difference < 0 && is_significant) {
      missed.push_back(fmt::format("{}: the score fell by {:.4f} on {} (p = {:.3g})", name,
                                   -score.difference, counted_noun(score.items, "item"),
                                   *score.p_value));
    }
    if (thresholds.drop_max && score.difference < -*thresholds.drop_max) {
      missed.push_back(fmt::format("{}: the score fell by {:.4f}, more than --max-drop {}", name,
                                   -score.difference, *thresholds.drop_max));
    }
  }
  return missed;
}

}  // namespace filecall::client
