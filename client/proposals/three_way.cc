// SPDX-License-Identifier: MIT
#include "client/proposals/three_way.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "client/proposals/content_before.h"
#include "edit/patch_reader.h"
#include "edit/text_merge.h"

namespace filecall::client {
namespace {

Unexpected<Error> no_base(const Json& change, std::string_view why) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: what it was made for is not known: {}",
                                                       change.value("path", ""), why));
}

}  // namespace

Result<std::string> base_content(const Json& change) {
  const auto found = change.find("unified_diff");
  const std::string diff =
      found != change.end() && found->is_string() ? found->get<std::string>() : "";
  if (!change.contains("new_content") || change["operation"] != "update") {
    return no_base(change, "it is no update with a new content");
  }
  const std::string content = change["new_content"].get<std::string>();
  if (diff.empty()) return content;
  auto files = edit::read_patch(diff);
  if (!files) return no_base(change, files.error().message);
  if (files->size() != 1) return no_base(change, "its difference is not of one file");
  TRY_ASSIGN(auto base, content_before(content, files->front().hunks));
  if (!base) return no_base(change, "its difference and its new content do not fit each other");
  return *std::move(base);
}

Result<ThreeWay> three_way(const Json& change, std::string_view present) {
  TRY_ASSIGN(const std::string base, base_content(change));
  TRY_ASSIGN(auto merged,
             edit::merge_texts(base, present, change["new_content"].get_ref<const std::string&>()));
  return ThreeWay{std::move(merged.content), merged.conflicts};
}

}  // namespace filecall::client
