// SPDX-License-Identifier: MIT
#include "ipc/durability.h"

#include <gtest/gtest.h>

namespace filecall {
namespace {

TEST(Durability, HasNames) {
  for (const Durability durability :
       {Durability::kFull, Durability::kFile, Durability::kNone, Durability::kJournal}) {
    EXPECT_EQ(parse_durability(to_string(durability)), durability);
  }
  EXPECT_FALSE(parse_durability("sometimes"));
}

}  // namespace
}  // namespace filecall
