// SPDX-License-Identifier: MIT
#include "client/cli/item_selection.h"

namespace filecall::client {

ItemFilter selected_items(const Arguments& arguments) {
  ItemFilter filter;
  filter.batch = arguments.text("batch");
  filter.model = arguments.text("model");
  filter.prompt = arguments.text("prompt-name");
  filter.provider = arguments.text("provider");
  filter.evaluation = arguments.text("eval");
  return filter;
}

bool is_selective(const ItemFilter& filter) {
  return !filter.batch.empty() || !filter.model.empty() || !filter.prompt.empty() ||
         !filter.provider.empty();
}

}  // namespace filecall::client
