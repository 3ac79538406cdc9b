// SPDX-License-Identifier: MIT
#pragma once

#include "client/cli/options.h"
#include "client/report/items/item_reader.h"

namespace filecall::client {

/// --batch, --model, --prompt-name, --provider and --eval.
ItemFilter selected_items(const Arguments& arguments);

}  // namespace filecall::client
