// SPDX-License-Identifier: MIT
#include "ipc/schema_catalog.h"

#include "embedded/schema_files.h"

namespace filecall {
namespace {

constexpr std::string_view kSuffix = ".schema.json";

std::string_view name_of(const EmbeddedFile& file) {
  return file.name.substr(0, file.name.size() - kSuffix.size());
}

}  // namespace

std::vector<std::string_view> schema_names() {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : schema_files()) names.push_back(name_of(file));
  return names;
}

std::optional<std::string_view> find_schema(std::string_view name) {
  for (const EmbeddedFile& file : schema_files()) {
    if (name_of(file) == name) return file.bytes;
  }
  return std::nullopt;
}

}  // namespace filecall
