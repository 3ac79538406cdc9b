// SPDX-License-Identifier: MIT
#include "edit/repeated_lines.h"

#include <string>

#include "edit/text_diff.h"

namespace filecall::edit {
namespace {

std::string text_of_lines(std::span<const PatchLine* const> lines) {
  std::string text;
  for (const PatchLine* line : lines) text.append(line->text).append(bytes_of(line->end));
  return text;
}

/// Goes through both sides at once.
struct Pairing {
  std::vector<std::optional<std::size_t>> of_added;
  std::size_t removed = 0;
  std::size_t added = 0;

  void pair() { of_added[added++] = removed++; }
};

}  // namespace

std::vector<std::optional<std::size_t>> repeated_lines(std::span<const PatchLine* const> removed,
                                                       std::span<const PatchLine* const> added) {
  Pairing pairing{std::vector<std::optional<std::size_t>>(added.size())};
  const auto hunks = diff_texts(text_of_lines(removed), text_of_lines(added));
  if (!hunks) return pairing.of_added;
  for (const DiffHunk& hunk : *hunks) {
    const bool has_context = hunk.hunk.lines.front().sign == Sign::kContext;
    // Without it the hunk begins where both sides do.
    const auto start = static_cast<std::size_t>(hunk.hunk.place->old_start);
    while (has_context && pairing.removed + 1 < start) pairing.pair();
    for (const PatchLine& line : hunk.hunk.lines) {
      if (line.sign == Sign::kContext) {
        pairing.pair();
      } else {
        ++(line.sign == Sign::kRemoved ? pairing.removed : pairing.added);
      }
    }
  }
  while (pairing.removed < removed.size() && pairing.added < added.size()) pairing.pair();
  return pairing.of_added;
}

}  // namespace filecall::edit
