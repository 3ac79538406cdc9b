// SPDX-License-Identifier: MIT
#include "client/runs/run_metadata.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "client/runs/run_items.h"
#include "os/regular_file.h"

namespace filecall::client {

Result<RunMetadata> RunMetadata::open(const spool::Layout& layout,
                                      const std::vector<RunRecord>& runs) {
  RunMetadata made;
  for (const RunRecord& run : runs) {
    const auto list = static_cast<std::uint32_t>(made.lists_.size());
    TRY(RunItems(layout, run).each([&](const RunItem& item) -> Result<bool> {
      if (item.metadata.is_null()) return true;
      made.places_.push_back(
          {hash64(item.request_id), list, static_cast<std::uint32_t>(item.bytes), item.offset});
      return true;
    }));
    TRY_ASSIGN(UniqueFd fd, open_regular(layout.run_items(run.run_id), O_RDONLY));
    made.lists_.push_back(std::move(fd));
  }
  std::sort(made.places_.begin(), made.places_.end(), [](const Place& a, const Place& b) {
    return std::tie(a.id_hash, a.list) < std::tie(b.id_hash, b.list);
  });
  return made;
}

std::optional<Json> RunMetadata::find(std::string_view request_id) const {
  const std::uint64_t hash = hash64(request_id);
  auto place = std::lower_bound(
      places_.begin(), places_.end(), hash,
      [](const Place& candidate, std::uint64_t wanted) { return candidate.id_hash < wanted; });
  std::string line;
  for (; place != places_.end() && place->id_hash == hash; ++place) {
    line.resize(place->bytes);
    const ssize_t got = ::pread(lists_[place->list].get(), line.data(), line.size(), place->offset);
    if (got != static_cast<ssize_t>(line.size())) continue;
    auto item = parse_run_item(line);
    if (item && item->request_id == request_id) return std::move(item->metadata);
  }
  return std::nullopt;
}

}  // namespace filecall::client
