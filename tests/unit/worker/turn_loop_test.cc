// SPDX-License-Identifier: MIT
#include "worker/turn_loop.h"

#include <gtest/gtest.h>

#include <csignal>

namespace filecall::worker {
namespace {

TEST(TurnLoop, KeepsASignalThatComesBeforeItsFirstTurn) {
  TurnLoop loop;
  int heard = 0;
  int turns = 0;
  loop.listen({[&] {
                 // A turn may come before the signal is read.
                 if (heard != 0 || ++turns == 1000) loop.stop();
               },
               [] { return true; }, [&](int signal) { heard = signal; }});
  ASSERT_EQ(std::raise(SIGTERM), 0);
  loop.run();
  EXPECT_EQ(heard, SIGTERM);
}

}  // namespace
}  // namespace filecall::worker
