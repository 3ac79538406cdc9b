// SPDX-License-Identifier: MIT
#include "client/service/pause_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using testing::UnorderedElementsAre;

TEST(PauseList, NamesWhatCanBeHeldBack) {
  WorkerStatus status;
  for (const char* name : {"system.echo", "tool.run", "llm.chat"}) {
    status.commands.emplace_back().name = name;
  }
  status.destinations.emplace_back().name = "llm.openai";
  status.destinations.emplace_back().name = "tool";  // It was used.
  ProviderCatalog catalog;
  catalog.providers.emplace_back().name = "openai";
  EXPECT_THAT(names_to_pause(status, catalog),
              UnorderedElementsAre("openai", "tool.run", "tool", "llm.chat", "llm.openai"));
  EXPECT_TRUE(names_to_pause({}, {}).empty());
}

}  // namespace
}  // namespace filecall::client
