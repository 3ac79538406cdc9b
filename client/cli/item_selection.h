// SPDX-License-Identifier: MIT
#pragma once

#include "client/cli/options.h"
#include "client/report/items/item_reader.h"

namespace filecall::client {

/// --batch, --model, --prompt-name, --provider and --eval.
ItemFilter selected_items(const Arguments& arguments);
/// Whether it leaves out anything.
bool is_selective(const ItemFilter& filter);

}  // namespace filecall::client
