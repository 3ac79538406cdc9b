// SPDX-License-Identifier: MIT
#include "client/cli/item_selection.h"

#include "client/cli/output.h"

namespace filecall::client {

ItemFilter selected_items(const Arguments& arguments) {
  ItemFilter filter;
  filter.choice = {.run = arguments.text("run"),
                   .batch = arguments.text("batch"),
                   .mixes = arguments.has("mix")};
  filter.model = arguments.text("model");
  filter.prompt = arguments.text("prompt-name");
  filter.provider = arguments.text("provider");
  filter.evaluation = arguments.text("eval");
  return filter;
}

void print_scope(const RunScope& scope, bool is_quiet) {
  if (!scope.notice().empty()) print_note("filecall: " + scope.notice() + "\n", is_quiet);
}

}  // namespace filecall::client
