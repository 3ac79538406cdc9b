// SPDX-License-Identifier: MIT
#include "spool/backlog.h"

namespace filecall::spool {

bool Backlog::push(std::string_view stem) {
  if (hints_.size() >= kHintsMax) {
    has_forgotten_ = true;
    return false;
  }
  const auto [at, is_new] = hints_.emplace(stem);
  if (is_new) order_.push_back(&*at);
  return is_new;
}

void Backlog::replace_scanned(NameList sorted) {
  scanned_ = std::move(sorted);
  at_ = 0;
}

std::optional<std::string> Backlog::pop() {
  const bool has_scanned = at_ < scanned_.size();
  if (order_.empty() && !has_scanned) return {};
  is_hints_turn_ = !is_hints_turn_;
  if (order_.empty() || (has_scanned && is_hints_turn_)) return pop_scanned();
  return pop_hint();
}

bool Backlog::contains(std::string_view stem) const {
  return is_hinted(stem) || scanned_.contains_sorted(stem, at_);
}

std::string Backlog::pop_hint() {
  const std::string* front = order_.front();
  order_.pop_front();
  auto node = hints_.extract(hints_.find(*front));
  return std::move(node.value());
}

std::string Backlog::pop_scanned() {
  std::string stem(scanned_[at_++]);
  if (at_ == scanned_.size()) replace_scanned({});  // Gives the memory back.
  return stem;
}

}  // namespace filecall::spool
