// SPDX-License-Identifier: MIT
#include "client/report/items/pair_section.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace filecall::client {
namespace {

using Ids = std::pair<std::string_view, std::string_view>;
using Slot = std::pair<std::string_view, std::int64_t>;  ///< An item and its repeat.

Ids unordered(std::string_view a, std::string_view b) { return a < b ? Ids{a, b} : Ids{b, a}; }

/// The last record of each two responses, of one evaluation.
using LastRecords = std::map<Ids, const PairRecord*>;

std::map<std::string_view, LastRecords> by_evaluation(const std::vector<PairRecord>& records) {
  std::map<std::string_view, LastRecords> found;
  for (const PairRecord& record : records) {
    found[record.evaluation][unordered(record.a.request_id, record.b.request_id)] = &record;
  }
  return found;
}

/// Fills one section, pair by pair.
class SectionMaker {
 public:
  /// `rule`: whose verdicts count.
  SectionMaker(const LastRecords& records, std::string_view evaluation, std::string_view rule)
      : records_(records) {
    section_.evaluation = evaluation;
    section_.rule_digest = rule;
  }

  void add(const PairCandidate& a, const PairCandidate& b) {
    if (!a.problem.empty()) return add_gap(a.label(), b.label(), a, "A: " + a.problem);
    if (!b.problem.empty()) return add_gap(a.label(), b.label(), b, "B: " + b.problem);
    const auto found = records_.find(unordered(a.request_id, b.request_id));
    if (found == records_.end()) {
      return add_gap(a.label(), b.label(), a, "was not judged");
    }
    const bool is_turned = found->second->a.request_id != a.request_id;
    PairRecord record = is_turned ? turned_round(*found->second) : *found->second;
    if (record.rule_digest != section_.rule_digest) {
      return add_gap(a.label(), b.label(), a, "was judged by another version of pairwise:");
    }
    if (record.a.response_digest != a.response_digest ||
        record.b.response_digest != b.response_digest) {
      return add_gap(a.label(), b.label(), a, "a response was replaced after it was judged");
    }
    record.item = a.item;
    group_of(a.label(), b.label()).counts.add(record);
    section_.judging.add(record.questions);
    if (record.verdict.winner) return;
    section_.lacking_replies += record.verdict.lacks_reply ? 1 : 0;
    add_gap(a.label(), b.label(), a, "no verdict: " + record.verdict.reason);
  }
  void add_gap(const std::string& a, const std::string& b, const PairCandidate& one,
               std::string why) {
    PairGroup& group = group_of(a, b);
    ++group.gap_count;
    if (group.gaps.size() == PairGroup::kGapsKept) return;
    group.gaps.push_back({one.item, one.repeat, std::move(why)});
  }
  PairSection take() { return std::move(section_); }

 private:
  PairGroup& group_of(const std::string& a, const std::string& b) {
    const auto [found, is_new] = places_.try_emplace({a, b}, section_.groups.size());
    if (!is_new) return section_.groups[found->second];
    PairGroup& group = section_.groups.emplace_back();
    group.a = a;
    group.b = b;
    return group;
  }

  const LastRecords& records_;
  PairSection section_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

using CandidatesByRequest = std::map<std::string_view, const PairCandidate*>;  ///< By request.

/// The two models of a pair, in the order in which they first stood.
class LabelOrder {
 public:
  /// Whether A and B must change places.
  bool is_turned(const std::string& a, const std::string& b) {
    if (order_.contains({b, a}) && a != b) return true;
    order_.insert({a, b});
    return false;
  }
  const std::set<std::pair<std::string, std::string>>& all() const { return order_; }

 private:
  std::set<std::pair<std::string, std::string>> order_;
};

/// The responses of each model, by items and repeats.
using Slots = std::map<std::string, std::map<Slot, const PairCandidate*>>;

Slots slots_of(const std::vector<PairCandidate>& all) {
  Slots slots;
  for (const PairCandidate& one : all) slots[one.label()].try_emplace({one.item, one.repeat}, &one);
  return slots;
}

/// What one of two models has, and no record tells.
void add_unjudged(const std::map<Slot, const PairCandidate*>& of_a,
                  const std::map<Slot, const PairCandidate*>& of_b,
                  const std::pair<std::string, std::string>& labels, const std::set<Slot>& judged,
                  SectionMaker& maker) {
  for (const auto& [slot, a] : of_a) {
    if (judged.contains(slot)) continue;
    const auto b = of_b.find(slot);
    if (b == of_b.end()) {
      maker.add_gap(labels.first, labels.second, *a, "B: was not asked");
    } else {
      maker.add(*a, *b->second);
    }
  }
  for (const auto& [slot, b] : of_b) {
    if (judged.contains(slot) || of_a.contains(slot)) continue;
    maker.add_gap(labels.first, labels.second, *b, "A: was not asked");
  }
}

PairSection section_within(const LastRecords& last, const std::vector<PairRecord>& records,
                           std::string_view evaluation, const CandidatesByRequest& known,
                           const Slots& slots) {
  // In the order of the file: the first one says who is A, the last one which rule counts.
  std::vector<std::pair<const PairCandidate*, const PairCandidate*>> pairs;
  std::string_view rule;
  LabelOrder order;
  std::map<std::pair<std::string, std::string>, std::set<Slot>> judged;
  for (const PairRecord& record : records) {
    if (record.evaluation != evaluation) continue;
    const auto a = known.find(record.a.request_id);
    const auto b = known.find(record.b.request_id);
    if (a == known.end() || b == known.end()) continue;
    rule = record.rule_digest;
    std::pair pair(a->second, b->second);
    if (order.is_turned(pair.first->label(), pair.second->label())) {
      std::swap(pair.first, pair.second);
    }
    if (last.at(unordered(record.a.request_id, record.b.request_id)) != &record) continue;
    pairs.push_back(pair);
    judged[{pair.first->label(), pair.second->label()}].insert(
        {pair.first->item, pair.first->repeat});
  }
  SectionMaker maker(last, evaluation, rule);
  for (const auto& [a, b] : pairs) maker.add(*a, *b);
  for (const auto& labels : order.all()) {
    // Of one model in several runs nothing tells which should have been compared.
    if (labels.first == labels.second) continue;
    add_unjudged(slots.at(labels.first), slots.at(labels.second), labels, judged[labels], maker);
  }
  return maker.take();
}

std::vector<PairCandidate> whole_ones(const std::vector<PairCandidate>& all) {
  std::vector<PairCandidate> whole;
  std::copy_if(all.begin(), all.end(), std::back_inserter(whole),
               [](const PairCandidate& one) { return one.problem.empty(); });
  return whole;
}

/// Why a model has no response to an item, by its label, item and repeat.
using Problems = std::map<std::tuple<std::string, std::string_view, std::int64_t>, std::string>;

Problems problems_of(const std::vector<PairCandidate>& all) {
  Problems problems;
  for (const PairCandidate& one : all) {
    if (!one.problem.empty()) problems[{one.label(), one.item, one.repeat}] = one.problem;
  }
  return problems;
}

std::string problem_in(const Problems& problems, const std::string& label,
                       const PairCandidate& counterpart) {
  const auto found = problems.find({label, counterpart.item, counterpart.repeat});
  return found == problems.end() ? "was not asked" : found->second;
}

/// Of a comparison: what has a response on one side only.
class LoneResponses {
 public:
  LoneResponses(const PairedCandidates& paired, const std::vector<PairCandidate>& a,
                const std::vector<PairCandidate>& b)
      : paired_(paired), problems_a_(problems_of(a)), problems_b_(problems_of(b)) {
    for (const auto& [one, other] : paired.pairs) {
      b_of_.try_emplace(one.label(), other.label());
      a_of_.try_emplace(other.label(), one.label());
    }
    // One response that stands in both runs is no pair.
    std::set<std::string_view> of_a;
    for (const PairCandidate& one : paired.only_a) of_a.insert(one.request_id);
    for (const PairCandidate& one : paired.only_b) {
      if (of_a.contains(one.request_id)) shared_.insert(one.request_id);
    }
  }

  /// Models that are held against none are not looked at.
  void add_to(SectionMaker& maker) const {
    for (const PairCandidate& one : paired_.only_a) {
      const auto b = b_of_.find(one.label());
      if (b == b_of_.end() || shared_.contains(one.request_id)) continue;
      maker.add_gap(one.label(), b->second, one, "B: " + problem_in(problems_b_, b->second, one));
    }
    for (const PairCandidate& one : paired_.only_b) {
      const auto a = a_of_.find(one.label());
      if (a == a_of_.end() || shared_.contains(one.request_id)) continue;
      maker.add_gap(a->second, one.label(), one, "A: " + problem_in(problems_a_, a->second, one));
    }
  }

 private:
  const PairedCandidates& paired_;
  Problems problems_a_;
  Problems problems_b_;
  std::map<std::string, std::string> b_of_;
  std::map<std::string, std::string> a_of_;
  std::set<std::string_view> shared_;
};

}  // namespace

std::vector<PairSection> pairs_within(const std::vector<PairRecord>& records,
                                      const std::vector<PairCandidate>& all) {
  CandidatesByRequest known;
  for (const PairCandidate& one : all) known[one.request_id] = &one;
  const Slots slots = slots_of(all);
  std::vector<PairSection> sections;
  for (const auto& [evaluation, last] : by_evaluation(records)) {
    PairSection section = section_within(last, records, evaluation, known, slots);
    if (!section.groups.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

std::vector<PairSection> pairs_between(const std::vector<PairRecord>& records,
                                       const std::vector<PairCandidate>& a,
                                       const std::vector<PairCandidate>& b) {
  std::vector<PairSection> sections;
  if (records.empty()) return sections;
  const PairedCandidates paired = pair_up(whole_ones(a), whole_ones(b));
  std::set<Ids> asked;
  for (const auto& [one, other] : paired.pairs) {
    asked.insert(unordered(one.request_id, other.request_id));
  }
  const LoneResponses lone(paired, a, b);
  for (const auto& [evaluation, last] : by_evaluation(records)) {
    const PairRecord* latest = nullptr;
    for (const PairRecord& record : records) {
      if (record.evaluation != evaluation) continue;
      if (asked.contains(unordered(record.a.request_id, record.b.request_id))) latest = &record;
    }
    if (latest == nullptr) continue;
    SectionMaker maker(last, evaluation, latest->rule_digest);
    for (const auto& [one, other] : paired.pairs) maker.add(one, other);
    lone.add_to(maker);
    sections.push_back(maker.take());
  }
  return sections;
}

std::int64_t lacking_replies(const std::vector<PairSection>& sections) {
  std::int64_t lacking = 0;
  for (const PairSection& section : sections) lacking += section.lacking_replies;
  return lacking;
}

}  // namespace filecall::client
