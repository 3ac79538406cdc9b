// SPDX-License-Identifier: MIT
#include "client/service/earlier_responses.h"

#include <fcntl.h>

#include "os/io.h"
#include "spool/scan.h"

namespace filecall::client {

Result<std::int64_t> EarlierResponses::count_missing(const spool::Layout& layout) const {
  if (ids_.size() == 0) return 0;
  spool::NameHashSet found;
  for (const std::string& folder : {layout.responses(), layout.client_answers()}) {
    auto fd = open_file(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd && fd.error().code == ErrorCode::kNotFound) continue;
    if (!fd) return Unexpected(fd.error());
    TRY(spool::read_directory(fd->get(), [&](const spool::DirectoryEntry& entry) {
      const auto stem = spool::Layout::stem_of(entry.name);
      if (stem && entry.may_be_regular && ids_.contains(*stem)) found.insert(*stem);
    }));
    if (found.size() == ids_.size()) break;
  }
  return static_cast<std::int64_t>(ids_.size() - found.size());
}

}  // namespace filecall::client
