// SPDX-License-Identifier: MIT
// Makes changes of small trees, one case after another: a line with a size, then an object of that
// size with `files` (contents by path) and either `patch` or `path` with `edits` or `content`.
// Answers in the same way an object with `files` as they are then, or `refused`. A patch of several
// files is divided into a change for each, as file.apply takes them: all or none; a move into a
// create and a delete.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "edit/file_edit.h"
#include "edit/patch_reader.h"
#include "edit/proposal.h"
#include "ipc/json.h"

namespace {

using namespace filecall;

std::optional<std::string> content_of(const Json& files, const std::string& path) {
  const auto found = files.find(path);
  if (found == files.end()) return std::nullopt;
  return found->get<std::string>();
}

Json refused(std::string_view path, std::string_view why) {
  return Json::object({{"refused", fmt::format("{}: {}", path, why)}});
}

/// One file of a patch; empty, or why it is refused.
Json apply_one(const edit::FilePatch& patch, Json& files) {
  auto made = edit::apply_patch(patch, content_of(files, patch.path));
  if (!made) return refused(patch.path, made.error().message());
  const std::string& target = patch.new_path.empty() ? patch.path : patch.new_path;
  if (target != patch.path && files.contains(target)) {
    return refused(target, "the file is there already");
  }
  files.erase(patch.path);
  if (made->content) files[target] = *std::move(made->content);
  return {};
}

Json apply_patch(const std::string& patch, Json files) {
  const auto read = edit::read_patch(patch);
  if (!read) return refused("the patch", read.error().message);
  for (const edit::FilePatch& file : *read) {
    Json refusal = apply_one(file, files);
    if (!refusal.is_null()) return refusal;
  }
  return Json::object({{"files", std::move(files)}});
}

Json apply_change(const Json& wanted, Json files) {
  edit::WantedChange change;
  change.path = wanted["path"].get<std::string>();
  const auto present = content_of(files, change.path);
  if (wanted.contains("content")) {
    change.operation = edit::Operation::kCreate;
    change.new_content = wanted["content"].get<std::string>();
  }
  for (const Json& edit : wanted.value("edits", Json::array())) {
    change.edits.push_back({edit["old"].get<std::string>(), edit["new"].get<std::string>()});
  }
  const auto proposed = edit::propose(change, present);
  if (!proposed) return refused(change.path, proposed.error().message);
  if (proposed->has_conflict) return refused(change.path, proposed->warning);
  files[change.path] = proposed->new_content.value_or("");
  return Json::object({{"files", std::move(files)}});
}

}  // namespace

int main() {
  unsigned long size = 0;
  while (std::scanf("%lu", &size) == 1 && std::getchar() == '\n') {
    std::string line(size, '\0');
    if (std::fread(line.data(), 1, size, stdin) != size) return 1;
    const Json wanted = Json::parse(line, nullptr, false);
    if (!wanted.is_object() || !wanted.contains("files")) return 1;
    const Json answer = wanted.contains("patch")
                            ? apply_patch(wanted["patch"].get<std::string>(), wanted["files"])
                            : apply_change(wanted, wanted["files"]);
    const std::string text = dump_json(answer);
    const std::string out = fmt::format("{}\n{}", text.size(), text);
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}
