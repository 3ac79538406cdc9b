// SPDX-License-Identifier: MIT
#pragma once

#include "client/cli/options.h"
#include "client/report/items/item_reader.h"

namespace filecall::client {

/// --batch, --model, --prompt-name, --provider and --eval.
ItemFilter selected_items(const Arguments& arguments);
/// Says on standard error what else there is to look at.
void print_scope(const RunScope& scope, bool is_quiet);

}  // namespace filecall::client
