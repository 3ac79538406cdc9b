// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "client/report/items/item_source.h"

namespace filecall::client {

/// A file that `report --format json` wrote. Its items are built and dropped one by one; the file's
/// text is held while it is read. `filter` works as for a root, but the evaluation is the report's.
/// Failures: the file's; invalid_argument, it is no report, or of another evaluation than asked.
Result<std::unique_ptr<ItemSource>> open_saved_report(const std::string& path, ItemFilter filter);

}  // namespace filecall::client
