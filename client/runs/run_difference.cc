// SPDX-License-Identifier: MIT
#include "client/runs/run_difference.h"

#include <unordered_map>

#include "base/hash.h"
#include "client/runs/run_items.h"

namespace filecall::client {
namespace {

Json apart_json(const ListedApart& apart) {
  return {{"count", apart.count}, {"request_ids", apart.ids}};
}

}  // namespace

Result<RunDifference> compare_run_lists(const spool::Layout& layout, const RunRecord& a,
                                        const RunRecord& b) {
  RunDifference found;
  found.setup = Json::diff(a.plan.setup, b.plan.setup);
  std::unordered_map<std::uint64_t, std::uint64_t> metadata_of_b;  // Hashes of ids and metadata.
  TRY(RunItems(layout, b).each([&](const RunItem& item) -> Result<bool> {
    metadata_of_b[hash64(item.request_id)] = hash64(dump_json(item.metadata));
    return true;
  }));
  std::unordered_map<std::uint64_t, bool> in_a;
  TRY(RunItems(layout, a).each([&](const RunItem& item) -> Result<bool> {
    const std::uint64_t id = hash64(item.request_id);
    in_a[id] = true;
    const auto same = metadata_of_b.find(id);
    if (same == metadata_of_b.end()) {
      found.only_a.add(item.request_id);
      return true;
    }
    ++found.in_both;
    if (same->second != hash64(dump_json(item.metadata))) found.other_metadata.add(item.request_id);
    return true;
  }));
  TRY(RunItems(layout, b).each([&](const RunItem& item) -> Result<bool> {
    if (!in_a.contains(hash64(item.request_id))) found.only_b.add(item.request_id);
    return true;
  }));
  return found;
}

Json run_difference_json(const RunRecord& a, const RunRecord& b, const RunDifference& difference) {
  return {{"a", a.run_id},
          {"b", b.run_id},
          {"setup", difference.setup},
          {"in_both", difference.in_both},
          {"only_a", apart_json(difference.only_a)},
          {"only_b", apart_json(difference.only_b)},
          {"other_metadata", apart_json(difference.other_metadata)}};
}

}  // namespace filecall::client
