// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/promptfoo/foreign_assertion.h"
#include "ipc/json.h"

namespace filecall::client {

/// The graders of many tests: equal assertions of several tests are one grader, and so are those
/// that differ in the expected value alone, which then stands in a column. Pure; not thread-safe.
class GraderSlots {
 public:
  /// What one test's assertions became.
  struct Row {
    std::vector<std::size_t> slots{};
    std::map<std::size_t, Json> expected{};  ///< By slot.
  };

  void add(TakenAssertion assertion, Row& row);

  bool empty() const { return slots_.empty(); }
  std::size_t size() const { return slots_.size(); }
  /// Whether tests have different graders, so that each names its own.
  bool differ(const std::vector<Row>& rows) const;
  /// Names the columns, none of them in `taken`; call it after the last add().
  void finish(const std::set<std::string>& taken);

  /// As a specification has them.
  Json graders() const;
  std::string name_of(std::size_t slot) const { return slots_[slot].name; }
  /// The columns of a row that are expected values.
  Json columns_of(const Row& row) const;

 private:
  struct Slot {
    std::string name;
    Json grader;
    bool expects = false;
    bool is_constant = true;  ///< All rows expect the same.
    bool has_empty = false;   ///< A row expects the empty text.
    Json first{};             ///< What the first row expects.
    std::string column{};
  };
  std::vector<Slot> slots_;
  std::map<std::string, std::size_t> by_shape_;
  std::set<std::string> names_;
};

}  // namespace filecall::client
