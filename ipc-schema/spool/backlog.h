// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/hash.h"
#include "spool/name_list.h"

namespace filecall::spool {

/// Stems that wait to be looked at: those a scan found (sorted, compact) and those that events
/// named since (each once, first in first out), taken in turns so that neither starves. Holds names
/// alone, never contents.
class Backlog {
 public:
  /// Beyond so many hints a name is forgotten, to be found by a scan when the rest is done.
  static constexpr std::size_t kHintsMax = 65536;

  /// False: it waits already, or there is no room (then has_forgotten() is true).
  bool push(std::string_view stem);
  /// Replaces what the scan before found: the newer scan names all that is still pending.
  void replace_scanned(NameList sorted);
  std::optional<std::string> pop();
  bool contains(std::string_view stem) const;
  bool is_hinted(std::string_view stem) const { return hints_.find(stem) != hints_.end(); }

  std::size_t size() const { return hints_.size() + scanned_.size() - at_; }
  bool empty() const { return size() == 0; }
  bool has_forgotten() const { return has_forgotten_; }
  void clear_forgotten() { has_forgotten_ = false; }

 private:
  std::string pop_hint();
  std::string pop_scanned();

  using Set = std::unordered_set<std::string, StringHash, std::equal_to<>>;
  Set hints_;
  std::deque<const std::string*> order_;  ///< Into hints_, whose nodes do not move.
  NameList scanned_;
  std::size_t at_ = 0;
  bool is_hints_turn_ = true;
  bool has_forgotten_ = false;
};

}  // namespace filecall::spool
