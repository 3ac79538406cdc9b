// SPDX-License-Identifier: MIT
#include "spool/settling.h"

namespace filecall::spool {

Settling::Entry* Settling::find(std::string_view stem) {
  const auto at = entries_.find(stem);
  return at == entries_.end() ? nullptr : &at->second;
}

void Settling::put(std::string_view stem, const SettleState& state, MonotonicTime look_at) {
  auto at = entries_.find(stem);
  if (at == entries_.end()) at = entries_.emplace(std::string(stem), Entry{}).first;
  at->second = {state, look_at, false};
  queue_.emplace(look_at, at->first);
  drop_stale();
}

void Settling::erase(std::string_view stem) {
  const auto at = entries_.find(stem);
  if (at == entries_.end()) return;
  entries_.erase(at);
  drop_stale();
}

std::vector<std::string> Settling::take_due(MonotonicTime now) {
  std::vector<std::string> out;
  while (!queue_.empty() && queue_.top().first <= now) {
    const Due& top = queue_.top();
    Entry* entry = find(top.second);
    if (entry != nullptr && !entry->is_due && entry->look_at == top.first) {
      entry->is_due = true;
      out.push_back(top.second);
    }
    queue_.pop();
  }
  drop_stale();
  return out;
}

Deadline Settling::next_due() const {
  return queue_.empty() ? Deadline::never() : Deadline::at(queue_.top().first);
}

/// Keeps the top of the queue true, so that nobody wakes up for an entry that is gone.
void Settling::drop_stale() {
  while (!queue_.empty()) {
    const Entry* entry = find(queue_.top().second);
    if (entry != nullptr && !entry->is_due && entry->look_at == queue_.top().first) return;
    queue_.pop();
  }
}

}  // namespace filecall::spool
