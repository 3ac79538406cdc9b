// SPDX-License-Identifier: MIT
// Texts that come to git.* from outside: a message with trailers, a revision and the name of a
// directory of a request, and the configuration of a repository. In the input they stand behind
// each other, a line with "%%%%" between two. A message is one that git takes, and its trailers are
// found in it again; names lead nowhere else; of a configuration only what is kept remains, however
// often it is written and read. The difference of two texts is a patch that can be read and
// applied.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "edit/file_edit.h"
#include "edit/unified_reader.h"
#include "ipc/json.h"
#include "worker/exec/git/commit_message.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/kept_settings.h"
#include "worker/exec/git/patch_text.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/settings_reader.h"
#include "worker/exec/git/worktree_notes.h"

namespace {

using namespace filecall;
using namespace filecall::worker::git;

std::string_view next_part(std::string_view& input) {
  constexpr std::string_view kBorder = "\n%%%%\n";
  const std::size_t at = std::min(input.find(kBorder), input.size());
  const std::string_view part = input.substr(0, at);
  input.remove_prefix(std::min(input.size(), at + kBorder.size()));
  return part;
}

void check_message(std::string_view text, std::string_view trailer) {
  const Json trailers = {{"Step", std::string(trailer)}};
  if (!is_valid_utf8(text) || !is_valid_utf8(trailer)) return;
  const auto alone = commit_message(std::string(text), Json());
  if (!alone) {
    CHECK(is_valid_utf8(alone.error().message), "a refusal can be shown");
    return;
  }
  CHECK(!alone->empty() && alone->back() == '\n' && alone->find('\0') == alone->npos,
        "a message is lines");
  const auto again = commit_message(*alone, Json());
  CHECK(again && *again == *alone, "a tidy message stays as it is");
  const auto whole = commit_message(std::string(text), trailers);
  if (!whole) return;
  CHECK(whole->starts_with(*alone) && whole->ends_with("Step: " + std::string(trailer) + "\n"),
        "trailers stand behind the message");
}

void check_names(std::string_view text) {
  const std::string name = notes_name(text);
  CHECK(!name.empty() && name.find('/') == name.npos && name.find('\0') == name.npos &&
            name.front() != '.' && name.front() != '-',
        "notes lie in a directory of their own");
  if (!is_revision(text)) return;
  CHECK(text.find(':') == text.npos && text.find("@{") == text.npos &&
            text.find("^{") == text.npos && text.find('\0') == text.npos,
        "a revision names a commit alone");
}

void check_settings(std::string_view text) {
  if (!check_no_includes(text)) return;
  const auto read = parse_settings(text);
  if (!read) {
    CHECK(is_valid_utf8(read.error().message), "a refusal can be shown");
    return;
  }
  Settings kept = kept_settings(*read);
  for (const auto& [name, value] : kept) {
    const auto found = read->find(name);
    CHECK(found != read->end() && found->second == value, "what is kept stood there");
  }
  const auto again = parse_settings(settings_text(kept));
  // The form of a repository is checked, and its extensions are not written.
  std::erase_if(kept, [](const auto& one) { return one.first.starts_with("extensions."); });
  CHECK(again && *again == kept, "kept settings are written and read alike");
}

void check_patch(std::string_view before, std::string_view after) {
  FileChange change{ChangeKind::kModified, {}, {}};
  for (FileSide* side : {&change.before, &change.after}) {
    side->path = "src/a b.txt";
    side->mode = 0100644;
  }
  const auto made = make_patch(change, std::string(before), std::string(after));
  if (!made || before == after) return;
  const auto files = edit::read_unified_diff(made->text);
  CHECK(files && files->size() == 1, "a patch is one of one file");
  const auto out = edit::apply_patch(files->front(), before, edit::WorkBudget{2'000'000});
  if (out) CHECK(out->content && *out->content == after, "the difference leads to the new text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prepare_git_library();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view message = next_part(input);
  const std::string_view trailer = next_part(input);
  const std::string_view name = next_part(input);
  const std::string_view settings = next_part(input);
  check_message(message, trailer);
  check_names(name);
  check_settings(settings);
  check_patch(message, input);
  return 0;
}
