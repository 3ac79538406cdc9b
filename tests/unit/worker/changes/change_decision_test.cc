// SPDX-License-Identifier: MIT
#include "worker/changes/change_decision.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace filecall::worker::changes {
namespace {

using enum Holds;
using enum StepAct;

constexpr std::array kKinds = {StepKind::kReplace, StepKind::kCreate, StepKind::kRemove};
constexpr std::array kHolds = {kNothing, kOld, kNew, kOther, kUnknown};

std::vector<StepState> all_states() {
  std::vector<StepState> states;
  for (const Holds name : kHolds) {
    for (const Holds aside : kHolds) states.push_back({name, aside});
  }
  return states;
}

/// What an act makes of a state; nullopt: the kernel refuses it, or it would replace something.
std::optional<StepState> performed(StepState state, StepAct act) {
  switch (act) {
    case kNone:
      return state;
    case kDrop:
      if (state.aside == kNothing) return std::nullopt;
      return StepState{state.name, kNothing};
    case kExchange:
      if (state.name == kNothing || state.aside == kNothing) return std::nullopt;
      return StepState{state.aside, state.name};
    case kReveal:
      if (state.name != kNothing || state.aside == kNothing) return std::nullopt;
      return StepState{state.aside, kNothing};
    case kWithdraw:
      if (state.name == kNothing || state.aside != kNothing) return std::nullopt;
      return StepState{kNothing, state.name};
    case kImpossible:
      return std::nullopt;
  }
  return std::nullopt;
}

StepAct chosen(StepKind kind, StepState state, Direction way) {
  const StepOptions options = options_of(kind, state);
  return way == Direction::kForward ? options.forward : options.back;
}

StepState first_state(StepKind kind) {
  return {kind == StepKind::kCreate ? kNothing : kOld, kind == StepKind::kRemove ? kNothing : kNew};
}
Holds name_before(StepKind kind) { return kind == StepKind::kCreate ? kNothing : kOld; }
Holds name_after(StepKind kind) { return kind == StepKind::kRemove ? kNothing : kNew; }

TEST(ChangeDecision, EveryWayEndsAtOnceAndLosesNothingOfSomebodyElse) {
  for (const StepKind kind : kKinds) {
    for (const StepState state : all_states()) {
      for (const Direction way : {Direction::kForward, Direction::kBack}) {
        SCOPED_TRACE(testing::Message()
                     << to_string(kind) << " name " << static_cast<int>(state.name) << " aside "
                     << static_cast<int>(state.aside) << " way " << static_cast<int>(way));
        const StepAct act = chosen(kind, state, way);
        if (act == kImpossible) continue;
        auto then = performed(state, act);
        ASSERT_TRUE(then);
        if (is_move(act)) {
          const StepAct last = chosen(kind, *then, way);
          ASSERT_TRUE(last == kNone || last == kDrop);
          then = performed(*then, last);
          ASSERT_TRUE(then);
        }
        // What is nobody's of ours is there still.
        const auto others = [](StepState of) {
          return static_cast<int>(of.name == kOther) + static_cast<int>(of.aside == kOther);
        };
        EXPECT_EQ(others(*then), others(state));
        EXPECT_NE(state.name, kUnknown);
        EXPECT_NE(state.aside, kUnknown);
        // What was dropped has been superseded: by its other side, or by somebody's change of it.
        const bool is_back = way == Direction::kBack;
        const Holds there = is_back ? name_before(kind) : name_after(kind);
        EXPECT_TRUE(then->name == there || then->name == kOther || state.name == then->name);
        if (state.aside == kOld && then->aside != kOld && is_back) {
          EXPECT_EQ(then->name, kOld);
        }
      }
    }
  }
}

TEST(ChangeDecision, WhatCannotBeLookedAtIsLeftAlone) {
  for (const StepKind kind : kKinds) {
    for (const StepState state : all_states()) {
      if (state.name != kUnknown && state.aside != kUnknown) continue;
      EXPECT_EQ(options_of(kind, state), StepOptions());
    }
  }
}

TEST(ChangeDecision, TheSpecialCases) {
  const auto replace = [](Holds name, Holds aside) {
    return options_of(StepKind::kReplace, {name, aside});
  };
  EXPECT_EQ(replace(kOld, kNew), (StepOptions{kDrop, kExchange}));
  EXPECT_EQ(replace(kNew, kOld), (StepOptions{kExchange, kDrop}));
  // An editor that had the old file open wrote into it.
  EXPECT_EQ(replace(kNew, kOther), (StepOptions{kExchange, kImpossible}));
  // Somebody changed the new one: what is on the disk is theirs.
  EXPECT_EQ(replace(kOther, kOld), (StepOptions{kImpossible, kDrop}));
  EXPECT_EQ(replace(kOther, kNew), (StepOptions{kDrop, kImpossible}));
  const auto create = [](Holds name, Holds aside) {
    return options_of(StepKind::kCreate, {name, aside});
  };
  EXPECT_EQ(create(kNothing, kNew), (StepOptions{kDrop, kReveal}));
  EXPECT_EQ(create(kNew, kNothing), (StepOptions{kWithdraw, kNone}));
  const auto remove = [](Holds name, Holds aside) {
    return options_of(StepKind::kRemove, {name, aside});
  };
  EXPECT_EQ(remove(kOld, kNothing), (StepOptions{kNone, kWithdraw}));
  EXPECT_EQ(remove(kNothing, kOld), (StepOptions{kReveal, kDrop}));
}

TEST(ChangeDecision, AnInterruptedSetEndsAsBeforeOrAsAfterwards) {
  // All sets of up to three steps, cut off between any two operations, dropping included.
  for (int code = 0; code < 27; ++code) {
    const std::vector<StepKind> kinds = {kKinds[static_cast<std::size_t>(code % 3)],
                                         kKinds[static_cast<std::size_t>(code / 3 % 3)],
                                         kKinds[static_cast<std::size_t>(code / 9)]};
    for (int cut = 0; cut <= 9; ++cut) {
      std::vector<StepState> states;
      int operations = 0;
      // Contents are put beside the files, then moved, then dropped.
      for (const StepKind kind : kinds) {
        StepState state = first_state(kind);
        if (kind == StepKind::kRemove || operations++ >= cut) state.aside = kNothing;
        states.push_back(state);
      }
      for (const bool drops : {false, true}) {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
          const StepAct act = options_of(kinds[i], states[i]).forward;
          if (drops ? act != kDrop : !is_move(act)) continue;
          if (operations++ < cut) states[i] = performed(states[i], act).value();
        }
      }
      std::vector<StepOptions> options;
      for (std::size_t i = 0; i < 3; ++i) options.push_back(options_of(kinds[i], states[i]));
      const Direction way = direction_of(options);
      ASSERT_NE(way, Direction::kTorn);
      for (std::size_t i = 0; i < 3; ++i) {
        for (int rounds = 0; rounds < 2; ++rounds) {
          const StepAct act = chosen(kinds[i], states[i], way);
          ASSERT_NE(act, kImpossible);
          states[i] = performed(states[i], act).value();
        }
        const Holds wanted =
            way == Direction::kForward ? name_after(kinds[i]) : name_before(kinds[i]);
        EXPECT_EQ(states[i], (StepState{wanted, kNothing})) << "code " << code << " cut " << cut;
      }
    }
  }
}

TEST(ChangeDecision, ASetGoesWhereAllOfItCan) {
  const StepOptions fresh{kDrop, kExchange}, made{kExchange, kDrop}, only_back{kDrop, kImpossible},
      only_forward{kImpossible, kDrop}, neither{};
  const auto way = [](std::vector<StepOptions> steps) { return direction_of(steps); };
  EXPECT_EQ(way({made, made}), Direction::kForward);
  EXPECT_EQ(way({made, fresh}), Direction::kBack);
  EXPECT_EQ(way({fresh, only_forward}), Direction::kForward);
  EXPECT_EQ(way({made, only_back}), Direction::kBack);
  EXPECT_EQ(way({only_forward, only_back}), Direction::kTorn);
  EXPECT_EQ(way({made, neither}), Direction::kTorn);
  EXPECT_EQ(way({}), Direction::kForward);
}

TEST(ChangeDecision, WhatIsOnlyWatchedIsNeverMoved) {
  for (const StepState state : all_states()) {
    const StepOptions options = options_of(StepKind::kWatch, state);
    EXPECT_FALSE(is_move(options.back) || is_move(options.forward));
    EXPECT_FALSE(options.back == kDrop || options.forward == kDrop);
    const std::vector<StepOptions> alone = {options};
    const bool is_known = state.aside != kUnknown && (state.name == kOld || state.name == kNew);
    const Direction expected = !is_known            ? Direction::kTorn
                               : state.name == kNew ? Direction::kForward
                                                    : Direction::kBack;
    EXPECT_EQ(direction_of(alone), expected);
  }
}

}  // namespace
}  // namespace filecall::worker::changes
