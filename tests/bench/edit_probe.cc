// SPDX-License-Identifier: MIT
// Applies patches from its input, one case after another: a line with the sizes of the patch and of
// the file, then both. Answers each with "ok SIZE GRADE" and the new content, or "no REASON".
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "edit/file_edit.h"
#include "edit/patch_reader.h"

namespace {

using namespace filecall;

bool read_bytes(std::string& out, std::size_t size) {
  out.resize(size);
  return std::fread(out.data(), 1, size, stdin) == size;
}

void say(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void answer(const std::string& patch, const std::string& file) {
  const auto files = edit::read_patch(patch);
  if (!files || files->size() != 1) {
    say("no patch\n");
    return;
  }
  const auto patched = edit::apply_patch(files->front(), file);
  if (!patched) {
    say(fmt::format("no {}\n", edit::to_string(patched.error().reason)));
    return;
  }
  const std::string content = patched->content.value_or("");
  say(fmt::format("ok {} {}\n", content.size(),
                  patched->hunks.empty() ? "none" : edit::to_string(patched->hunks[0].grade)));
  say(content);
}

}  // namespace

int main() {
  std::string patch;
  std::string file;
  unsigned long patch_size = 0;
  unsigned long file_size = 0;
  while (std::scanf("%lu %lu", &patch_size, &file_size) == 2 && std::getchar() == '\n') {
    if (!read_bytes(patch, patch_size) || !read_bytes(file, file_size)) return 1;
    answer(patch, file);
    std::fflush(stdout);
  }
  return 0;
}
