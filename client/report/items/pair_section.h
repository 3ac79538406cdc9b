// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/eval/pair_record.h"
#include "client/report/items/pair_output.h"

namespace filecall::client {

/// What judges of pairs said, for reports and comparisons. It stands beside scores and is never
/// part of one. Pure.

/// A pair that has no verdict that counts.
struct PairGap {
  std::string item;
  std::int64_t repeat = 1;
  std::string why;  ///< For people.
};

/// Two models (with their prompts), B against A.
struct PairGroup {
  static constexpr std::size_t kGapsKept = 100;

  std::string a;
  std::string b;
  PairTally::Counts counts;
  std::vector<PairGap> gaps;   ///< The first of them.
  std::int64_t gap_count = 0;  ///< All of them; those without a verdict are in `counts`, too.
};

/// One evaluation. Only verdicts by its latest rule and on the responses that are there count.
struct PairSection {
  std::string evaluation;
  std::string rule_digest;
  std::vector<PairGroup> groups;
  PairJudging judging{};             ///< Of the verdicts that count, and of pairs that got none.
  std::int64_t lacking_replies = 0;  ///< Pairs without a verdict: a judge was given up.
};

/// Of each two models of which some responses were judged as pairs: every item that either of them
/// has. `records`: in the order in which they were written; of two responses the last one counts,
/// whichever was called A.
std::vector<PairSection> pairs_within(const std::vector<PairRecord>& records,
                                      const std::vector<PairCandidate>& all);
/// Of the pairs that an evaluation of A and B is about (see pair_up()); empty: none was judged.
std::vector<PairSection> pairs_between(const std::vector<PairRecord>& records,
                                       const std::vector<PairCandidate>& a,
                                       const std::vector<PairCandidate>& b);

/// An array, an object a section.
Json pair_sections_json(const std::vector<PairSection>& sections);
/// Empty: nothing was judged; as the next two.
std::string pair_sections_text(const std::vector<PairSection>& sections);
std::string pair_sections_html(const std::vector<PairSection>& sections);
/// "3 pairs have no verdict that counts: q1 (why), ... and 2 more"; empty: all have one.
std::string gaps_text(const PairGroup& group);
/// Pairs of all sections that have no verdict because a judge was given up.
std::int64_t lacking_replies(const std::vector<PairSection>& sections);

}  // namespace filecall::client
