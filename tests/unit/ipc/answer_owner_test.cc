// SPDX-License-Identifier: MIT
#include "ipc/answer_owner.h"

#include <gtest/gtest.h>

#include <optional>

namespace filecall {
namespace {

constexpr std::uint32_t kAnn = 1001;
constexpr std::uint32_t kBob = 1002;
constexpr std::uint32_t kKeeper = 1009;
constexpr std::optional<std::uint32_t> kNone;

struct Case {
  const char* what;
  AskedBy asked;
  std::uint32_t reader;
  std::optional<std::uint32_t> served;
  std::optional<std::uint32_t> request;
  bool is_answer;
};

constexpr AskedBy kReader = AskedBy::kReader;
constexpr AskedBy kAnyone = AskedBy::kAnyone;

constexpr Case kCases[] = {
    {"a member's own", kReader, kAnn, kAnn, kAnn, true},
    {"its request was removed", kReader, kAnn, kAnn, kNone, true},
    {"another one took the id since", kReader, kAnn, kAnn, kBob, true},
    {"another one had the id before", kReader, kAnn, kBob, kAnn, false},
    {"another one's, and no request is there", kReader, kAnn, kBob, kNone, false},
    {"another one took the id, and was answered", kReader, kAnn, kBob, kBob, false},
    {"the worker says no user", kReader, kAnn, kNone, kBob, true},

    {"a member looks at another one's", kAnyone, kAnn, kBob, kBob, true},
    {"which was answered for somebody else", kAnyone, kAnn, kKeeper, kBob, false},
    {"a response to the reader, who removed the request", kAnyone, kAnn, kAnn, kNone, true},
    {"a response to the reader, and another one's request", kAnyone, kAnn, kAnn, kBob, false},
    {"another one's response, and no request is there", kAnyone, kAnn, kBob, kNone, false},
    {"the worker says no user", kAnyone, kAnn, kNone, kNone, true},

    {"the owner of the root drives what is a member's", kReader, kKeeper, kAnn, kAnn, true},
    {"which was answered for somebody else", kReader, kKeeper, kBob, kAnn, false},
    {"the owner's own, removed", kReader, kKeeper, kKeeper, kNone, true},
    {"a member's, removed", kReader, kKeeper, kAnn, kNone, false},
    {"root's own", kReader, 0, 0, 0, true},
};

TEST(AnswerOwner, SaysWhomAResponseAnswers) {
  for (const Case& one : kCases) {
    const bool is_member = one.reader != kKeeper && one.reader != 0;
    EXPECT_EQ(is_answer_to(one.asked, {one.reader, is_member, one.served, one.request}),
              one.is_answer)
        << one.what << (one.asked == kReader ? ", asked" : ", looked at");
  }
}

}  // namespace
}  // namespace filecall
