// SPDX-License-Identifier: MIT
#include "client/batch/batch_problems.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/count_text.h"
#include "client/batch/batch_item.h"

namespace filecall::client {
namespace {

constexpr std::size_t kUnknownMembersMax = 20;

}  // namespace

void ProblemList::add(std::uint64_t position, std::string text) {
  ++count_;
  if (kept_.size() == kept_max_ && kept_.back().first <= position) return;
  const auto after =
      std::upper_bound(kept_.begin(), kept_.end(), position,
                       [](std::uint64_t p, const auto& problem) { return p < problem.first; });
  kept_.insert(after, {position, std::move(text)});
  if (kept_.size() > kept_max_) kept_.pop_back();
}

std::vector<std::string> ProblemList::take_texts() {
  std::vector<std::string> texts;
  for (auto& [position, text] : kept_) texts.push_back(std::move(text));
  return texts;
}

void UnknownMembers::add(const std::string& name, const std::string& where) {
  if (seen_.size() < kUnknownMembersMax || seen_.contains(name)) {
    Seen& seen = seen_[name];
    if (seen.count++ > 0) return;
    seen.where = where;
    seen.order = seen_.size();
  }
}

std::vector<std::string> UnknownMembers::texts() const {
  std::map<std::size_t, const std::pair<const std::string, Seen>*> in_order;
  for (const auto& one : seen_) in_order.emplace(one.second.order, &one);
  std::vector<std::string> texts;
  for (const auto& [order, one] : in_order) {
    const auto& [name, seen] = *one;
    std::string text = fmt::format("{}: {}", seen.where, unknown_member_text(name));
    if (seen.count > 1)
      text += fmt::format(" ({} it)", counted_noun(seen.count, "request has", "requests have"));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace filecall::client
