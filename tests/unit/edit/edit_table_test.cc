// SPDX-License-Identifier: MIT
// A small form of the table in tests/bench/RESULTS.md: edits of a text that repeats itself, by
// patches that are off in one way each. What is applied is right; what cannot be is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/random.h"
#include "edit/file_edit.h"

namespace filecall::edit {
namespace {

using Lines = std::vector<std::string>;

constexpr int kAround = 3;
constexpr std::size_t kEdits = 25;

struct TableEdit {
  Lines text;
  std::size_t at = 0;  ///< Where `removed` begins.
  Lines before, removed, added, after;
  std::int64_t number = 0;  ///< What the hunk states.
};

/// Functions of a few kinds of lines, of which many occur more than once.
Lines source(Random& random) {
  Lines lines;
  while (lines.size() < 160) {
    lines.push_back("def f" + std::to_string(random.below(40)) + "(a, b):");
    for (std::size_t count = 2 + random.below(8); count > 0; --count) {
      constexpr std::array<std::string_view, 6> kKinds = {
          "    a += 1", "    if a > ", "        return b", "", "    call(a, ", "    # note "};
      const std::size_t kind = random.below(kKinds.size());
      const bool is_numbered = kind == 1 || kind > 3;
      lines.push_back(std::string(kKinds[kind]) +
                      (is_numbered ? std::to_string(random.below(90)) + ":" : ""));
    }
    lines.emplace_back("");
  }
  return lines;
}

TableEdit random_edit(Random& random) {
  TableEdit edit;
  edit.text = source(random);
  const auto part = [&](std::size_t begin, std::size_t count) {
    const auto first = edit.text.begin() + static_cast<std::ptrdiff_t>(begin);
    return Lines(first, first + static_cast<std::ptrdiff_t>(count));
  };
  const std::size_t count = 1 + random.below(3);
  do {
    edit.at = 8 + random.below(edit.text.size() - 20);
    edit.removed = part(edit.at, count);
  } while (edit.removed.front().empty() || edit.removed.back().empty());
  edit.before = part(edit.at - std::size_t{kAround}, std::size_t{kAround});
  edit.after = part(edit.at + count, std::size_t{kAround});
  edit.added = edit.removed;
  edit.added.back() += "  # changed";
  if (random.below(3) == 0) edit.added.push_back(edit.removed.back() + "2");
  edit.number = static_cast<std::int64_t>(edit.at) - kAround + 1;
  return edit;
}

std::string text_of(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}
std::string right_of(const TableEdit& edit) {
  Lines lines = edit.text;
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(edit.at);
  const auto end = at + static_cast<std::ptrdiff_t>(edit.removed.size());
  lines.insert(lines.erase(at, end), edit.added.begin(), edit.added.end());
  return text_of(lines);
}
PatchHunk table_hunk(const TableEdit& edit) {
  PatchHunk hunk;
  if (edit.number > 0) hunk.place = StatedPlace{edit.number, edit.number};
  const auto add = [&](const Lines& lines, Sign sign) {
    for (const std::string& line : lines) hunk.lines.push_back({sign, line, LineEnd::kLf});
  };
  add(edit.before, Sign::kContext);
  add(edit.removed, Sign::kRemoved);
  add(edit.added, Sign::kAdded);
  add(edit.after, Sign::kContext);
  return hunk;
}

void put_in_front(TableEdit& edit, const Lines& lines) {
  edit.text.insert(edit.text.begin() + 5, lines.begin(), lines.end());
  edit.at += lines.size();
}
Lines whole_block(const TableEdit& edit) {
  Lines block = edit.before;
  block.insert(block.end(), edit.removed.begin(), edit.removed.end());
  block.insert(block.end(), edit.after.begin(), edit.after.end());
  return block;
}
void dedent(TableEdit& edit) {
  for (Lines* lines : {&edit.before, &edit.removed, &edit.added, &edit.after}) {
    for (std::string& line : *lines) {
      line.erase(0, std::min<std::size_t>(4, std::min(line.find_first_not_of(' '), line.size())));
    }
  }
}

using Corruption = void (*)(TableEdit&);
/// Each with how many of ten are applied at the least.
const std::map<std::string, std::pair<Corruption, std::size_t>> kRows = {
    {"none", {[](TableEdit&) {}, 9}},
    {"no number", {[](TableEdit& edit) { edit.number = 0; }, 7}},
    {"number off", {[](TableEdit& edit) { edit.number += 37; }, 7}},
    {"trailing space", {[](TableEdit& edit) { edit.before[0] += " ", edit.after[1] += " "; }, 9}},
    {"indented less", {dedent, 1}},
    {"outer line stale",
     {[](TableEdit& edit) {
        std::string& line = edit.before[0];
        line = line.substr(0, std::min(line.find_first_not_of(' '), line.size())) + "was other";
      },
      9}},
    {"inner line stale", {[](TableEdit& edit) { edit.after[0] = "was other"; }, 0}},
    {"line left out", {[](TableEdit& edit) { edit.before.erase(edit.before.begin() + 1); }, 6}},
    {"drifted", {[](TableEdit& edit) { put_in_front(edit, Lines(6, "drift")); }, 7}},
    {"no context",
     {[](TableEdit& edit) { edit.before.clear(), edit.after.clear(), edit.number += kAround; }, 5}},
    {"twice, number off", {[](TableEdit& edit) { put_in_front(edit, whole_block(edit)); }, 0}},
    {"twice, number right",
     {[](TableEdit& edit) {
        const Lines block = whole_block(edit);
        put_in_front(edit, block);
        edit.number += static_cast<std::int64_t>(block.size());
      },
      7}},
};

TEST(EditTable, WhatIsAppliedIsRight) {
  std::map<std::string, std::size_t> right;
  for (std::uint64_t seed = 0; seed < kEdits; ++seed) {
    Random random(seed);
    const TableEdit made = random_edit(random);
    for (const auto& [row, corruption] : kRows) {
      TableEdit edit = made;
      corruption.first(edit);
      const PatchHunk hunk = table_hunk(edit);
      const auto edited = apply_hunks(text_of(edit.text), {&hunk, 1});
      if (!edited) continue;
      edit.removed = made.removed;
      edit.added = made.added;
      ASSERT_EQ(edited->content, right_of(edit)) << row << ", seed " << seed;
      ++right[row];
    }
  }
  for (const auto& [row, corruption] : kRows) {
    EXPECT_GE(right[row] * 10, corruption.second * kEdits) << row << ": " << right[row];
  }
  EXPECT_EQ(right["inner line stale"] + right["twice, number off"], 0U);
}

}  // namespace
}  // namespace filecall::edit
