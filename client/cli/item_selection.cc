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

}  // namespace filecall::client
