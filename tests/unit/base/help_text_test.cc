// SPDX-License-Identifier: MIT
#include "base/help_text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace filecall {
namespace {

TEST(HelpText, PutsRowsInTwoColumns) {
  const HelpRow rows[] = {{"--a", "One."}, {"--long NAME", "Two."}};
  EXPECT_EQ(help_rows(rows),
            "  --a          One.\n"
            "  --long NAME  Two.\n");
}

TEST(HelpText, LosesNoWordAndKeepsLinesShort) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::string words;
    for (std::uint64_t left = random.below(60); left > 0; --left) {
      const std::string word(1 + random.below(12), 'a');
      text += (text.empty() ? "" : " ") + word;
      words += word + " ";
    }
    const std::size_t indent = random.below(40);
    const std::string wrapped = wrapped_text(text, indent);
    std::string found;
    std::size_t column = indent;
    for (std::size_t i = 0; i < wrapped.size(); ++i) {
      if (wrapped[i] == '\n') {
        column = 0;
        continue;
      }
      ASSERT_LE(++column, 96U) << wrapped;
      found += wrapped[i];
      if (wrapped[i] == 'a' && wrapped[i + 1] != 'a') found += " ";
    }
    std::erase(words, ' ');
    std::erase(found, ' ');
    ASSERT_EQ(found, words);
  }
}

TEST(HelpText, AWordThatIsLongerThanALineStandsAlone) {
  const std::string word(120, 'x');
  EXPECT_EQ(wrapped_text("a " + word + " b", 2), "a\n  " + word + "\n  b\n");
}

}  // namespace
}  // namespace filecall
