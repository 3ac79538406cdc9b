// SPDX-License-Identifier: MIT
#include "ipc/durability.h"

namespace filecall {
namespace {

struct DurabilityRow {
  Durability durability;
  std::string_view name;
};
constexpr DurabilityRow kDurabilities[] = {{Durability::kFull, "full"},
                                           {Durability::kFile, "file"},
                                           {Durability::kNone, "none"},
                                           {Durability::kJournal, "journal"}};

}  // namespace

std::string_view to_string(Durability durability) {
  for (const DurabilityRow& row : kDurabilities) {
    if (row.durability == durability) return row.name;
  }
  return "unknown";
}

std::optional<Durability> parse_durability(std::string_view name) {
  for (const DurabilityRow& row : kDurabilities) {
    if (row.name == name) return row.durability;
  }
  return {};
}

}  // namespace filecall
