// SPDX-License-Identifier: MIT
#include "client/promptfoo/grader_slots.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace filecall::client {
namespace {

/// Of a judge whose criteria differ from row to row.
constexpr const char* kRubricTemplate =
    "The task was:\n{{prompt}}\n"
    "Grade the answer by one criterion. This is the criterion:\n{{expected}}\n"
    "This is the answer:\n{{answer}}";

}  // namespace

void GraderSlots::add(TakenAssertion assertion, Row& row) {
  const std::string shape = assertion.name + "\n" + dump_json(assertion.grader) + "\n";
  // The second one of a test that differs only in its value is another grader.
  for (int ordinal = 1;; ++ordinal) {
    const auto [found, is_new] =
        by_shape_.try_emplace(shape + std::to_string(ordinal), slots_.size());
    const std::size_t slot = found->second;
    if (!is_new && std::find(row.slots.begin(), row.slots.end(), slot) != row.slots.end()) {
      const bool is_same = !assertion.expected || row.expected[slot] == *assertion.expected;
      if (is_same) return;  // Twice the same.
      continue;
    }
    if (is_new) {
      Slot made{.name = assertion.name, .grader = std::move(assertion.grader)};
      for (int i = 2; !names_.insert(made.name).second; ++i) {
        made.name = fmt::format("{}-{}", assertion.name, i);
      }
      slots_.push_back(std::move(made));
    }
    row.slots.push_back(slot);
    if (!assertion.expected) return;
    Slot& one = slots_[slot];
    if (!one.expects) one.first = *assertion.expected;
    one.is_constant = one.is_constant && one.first == *assertion.expected;
    one.expects = true;
    one.has_empty = one.has_empty || *assertion.expected == "";
    row.expected[slot] = *std::move(assertion.expected);
    return;
  }
}

bool GraderSlots::differ(const std::vector<Row>& rows) const {
  return std::any_of(rows.begin(), rows.end(), [this](const Row& row) {
    return std::set(row.slots.begin(), row.slots.end()).size() != slots_.size();
  });
}

void GraderSlots::finish(const std::set<std::string>& taken) {
  std::set<std::string> columns = taken;
  for (Slot& slot : slots_) {
    if (!slot.expects || slot.is_constant) continue;
    const std::string base = "expected_" + slot.name;
    slot.column = base;
    for (int i = 2; !columns.insert(slot.column).second; ++i) {
      slot.column = fmt::format("{}_{}", base, i);
    }
  }
}

Json GraderSlots::graders() const {
  Json list = Json::array();
  for (const Slot& slot : slots_) {
    Json grader = slot.grader;
    grader["name"] = slot.name;
    const bool is_judge = grader["kind"] == "judge";
    if (slot.expects && slot.is_constant) {
      grader[is_judge ? "criteria" : "expected"] = slot.first;
    } else if (is_judge) {
      grader["template"] = kRubricTemplate;
    }
    if (!slot.column.empty()) grader["expected_var"] = slot.column;
    if (!slot.column.empty() && slot.has_empty) grader["allow_empty"] = true;
    list.push_back(std::move(grader));
  }
  return list;
}

Json GraderSlots::columns_of(const Row& row) const {
  Json columns = Json::object();
  for (const auto& [slot, value] : row.expected) {
    if (!slots_[slot].column.empty()) columns[slots_[slot].column] = value;
  }
  return columns;
}

}  // namespace filecall::client
