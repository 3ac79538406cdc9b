// SPDX-License-Identifier: MIT
#include "client/report/markdown_lines.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(MarkdownLines, HeadingsBoldCodeAndListsAreShown) {
  EXPECT_EQ(markdown_text("# Cause"), "\x1b[1mCause\x1b[0m\n");
  EXPECT_EQ(markdown_text("a **b** `c`\n"), "a \x1b[1mb\x1b[0m \x1b[36mc\x1b[0m\n");
  EXPECT_EQ(markdown_text("- one\n  * two\n"), "\u2022 one\n  \u2022 two\n");
}

TEST(MarkdownLines, ABlockOfCodeStaysAsItIs) {
  EXPECT_EQ(markdown_text("```sh\n# no heading\n```\n# heading\n"),
            "```sh\n\x1b[36m# no heading\x1b[0m\n```\n\x1b[1mheading\x1b[0m\n");
}

TEST(MarkdownLines, WhatIsNotClosedStaysAsItIs) {
  for (const char* text : {"2 ** 3 is 8\n", "a ` b\n", "#5 failed\n", "-1\n", "****\n", "``\n",
                           "a_name_with_lines\n", "\n", "-\n"}) {
    EXPECT_EQ(markdown_text(text), text);
  }
}

TEST(MarkdownLines, ControlSequencesAreTakenOut) {
  const std::string shown = markdown_text("# \x1b[2Jx\x07\n`\x1b]0;t\x07`\n");
  EXPECT_EQ(shown.find("\x1b[2J"), std::string::npos);
  EXPECT_EQ(shown.find("\x1b]"), std::string::npos);
  EXPECT_EQ(shown.find('\x07'), std::string::npos);
}

TEST(MarkdownLines, PiecesGiveWhatTheWholeGives) {
  const std::string text = "# A\n- **b**\n```\ncode\n```\nlast `x`";
  for (std::size_t size = 1; size < text.size(); ++size) {
    MarkdownLines lines;
    std::string shown;
    for (std::size_t at = 0; at < text.size(); at += size) {
      shown += lines.add(std::string_view(text).substr(at, size));
    }
    EXPECT_EQ(shown + lines.end(), markdown_text(text)) << size;
  }
}

}  // namespace
}  // namespace filecall::client
