// SPDX-License-Identifier: MIT
#include "client/batch/model_file.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "os/io.h"
#include "yaml/yaml_section.h"

namespace filecall::client {
namespace {

constexpr std::size_t kModelFileBytesMax = 1024 * 1024;

std::string shown_name(const ModelChoice& choice) {
  return choice.name.empty() ? choice.model : choice.name;
}

bool is_same_question(const ModelChoice& a, const ModelChoice& b) {
  return a.provider == b.provider && a.model == b.model && a.params == b.params;
}

ModelChoice read_choice(YamlSection& section) {
  ModelChoice choice;
  section.read("model", choice.model);
  section.read("provider", choice.provider);
  section.read("name", choice.name);
  if (section.has("params")) choice.params = section.read_json("params");
  if (choice.model.empty()) section.complain("model", "is missing");
  if (!choice.params.is_object()) {
    section.complain("params", "must be a mapping");
    choice.params = Json::object();
  }
  for (const char* own : {"model", "provider", "prompt", "messages"}) {
    if (!choice.params.contains(own)) continue;
    section.complain("params", fmt::format("must not have {}; that stands elsewhere", own));
  }
  // "openai/gpt-4.1", as in --model.
  const std::size_t slash = choice.model.find('/');
  if (choice.provider.empty() && slash != std::string::npos && slash > 0) {
    choice.provider = choice.model.substr(0, slash);
    choice.model.erase(0, slash + 1);
  }
  return choice;
}

}  // namespace

Result<std::vector<ModelChoice>> parse_model_file(const std::string& text,
                                                  const std::string& file_name) {
  std::vector<std::string> complaints;
  TRY_ASSIGN(YamlSection top, YamlSection::parse(text, file_name, complaints));
  std::vector<ModelChoice> models;
  top.each_item("models", [&](YamlSection& section) {
    ModelChoice choice = read_choice(section);
    for (const ModelChoice& other : models) {
      if (shown_name(other) == shown_name(choice)) {
        section.complain("name", fmt::format("'{}' is there already; give each a name of its own",
                                             shown_name(choice)));
      } else if (is_same_question(other, choice)) {
        section.complain("model", "asks the same as " + shown_name(other));
      }
    }
    models.push_back(std::move(choice));
  });
  if (models.empty() && complaints.empty()) top.complain("models", "must be a list of models");
  top.finish();
  if (complaints.empty()) return models;
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}", fmt::join(complaints, "\n")));
}

Result<std::vector<ModelChoice>> load_model_file(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_file(path, kModelFileBytesMax));
  return parse_model_file(text, path);
}

}  // namespace filecall::client
