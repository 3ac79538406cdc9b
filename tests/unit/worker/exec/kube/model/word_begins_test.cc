// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/word_begins.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "worker/exec/kube/model/text_signs.h"

namespace filecall::worker::kube {
namespace {

std::vector<std::size_t> visited(std::string_view text) {
  std::vector<std::size_t> out;
  for_each_word_begin(text, [&](std::size_t at) { out.push_back(at); });
  return out;
}

/// Place by place.
std::vector<std::size_t> defined(std::string_view text) {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_word_begin(text, at)) out.push_back(at);
  }
  return out;
}

TEST(WordBegins, AreWhatFollowsASignAndDashes) {
  EXPECT_EQ(visited(""), std::vector<std::size_t>());
  EXPECT_EQ(visited("ab c=d_e-f"), (std::vector<std::size_t>{0, 3, 5, 8}));
  EXPECT_EQ(visited("abcdefghij klmnopqrstuvwxyz-0123456789"),
            (std::vector<std::size_t>{0, 11, 27}));
}

TEST(WordBegins, AreToldBehindAndAtEveryByteWhereverItStands) {
  for (const std::size_t size : {1u, 16u, 17u, 18u, 33u, 40u}) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(byte);
        ASSERT_EQ(visited(text), defined(text)) << byte << " at " << at << " of " << size;
      }
    }
  }
}

TEST(WordBegins, AreThoseOfTheDefinitionInAnyText) {
  Random random(11);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random.below(90), 'v');
    for (std::uint64_t changes = random.below(12); !text.empty() && changes > 0; --changes) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    ASSERT_EQ(visited(text), defined(text)) << testing::PrintToString(text);
  }
}

TEST(TextSigns, AreThoseOfItsBytesWhereverTheyStand) {
  constexpr unsigned kAll = 1023;
  const auto signs_of = [](std::string_view text) {
    const TextSigns signs(text);
    unsigned out = 0;
    for (unsigned sign = 1; sign <= kAll; sign *= 2) out |= signs.has(sign) ? sign : 0;
    EXPECT_EQ(signs.is_one_word(), out == 0);
    return out;
  };
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    const unsigned alone = signs_of(std::string(1, c));
    EXPECT_EQ(alone == 0, is_token_char(c) && c != '-') << byte;
    for (std::size_t at = 0; at < 40; ++at) {
      std::string text(40, 'v');
      text[at] = c;
      ASSERT_EQ(signs_of(text), alone) << byte << " at " << at;
    }
  }
  Random random(4);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random.below(70), 'z');
    unsigned all = 0;
    for (char& c : text) {
      if (random.below(8) == 0) c = static_cast<char>(random.below(256));
      all |= signs_of(std::string(1, c));
    }
    ASSERT_EQ(signs_of(text), all) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace filecall::worker::kube
