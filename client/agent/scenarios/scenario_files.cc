// SPDX-License-Identifier: MIT
#include "client/agent/scenarios/scenario_files.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "ipc/json_text.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr std::size_t kScenarioBytesMax = std::size_t{1} << 20;
constexpr std::string_view kEndings[] = {".yaml", ".yml"};

/// The name of a scenario's file; nullopt for any other.
std::optional<std::string_view> scenario_of_name(std::string_view file) {
  for (const std::string_view ending : kEndings) {
    if (file.ends_with(ending) && file.size() > ending.size() && !file.starts_with('.')) {
      return file.substr(0, file.size() - ending.size());
    }
  }
  return {};
}

Result<Scenario> read_scenario_file(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_named_file(path, kScenarioBytesMax));
  const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
  return read_scenario(text, path, scenario_of_name(file).value_or(file));
}

/// Names of files in the folder, sorted; none when it is not there.
Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> files;
  if (folder.empty()) return files;
  const auto fd = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return files;
  if (!fd) return Unexpected(fd.error());
  TRY(spool::read_directory(fd->get(), [&files](const spool::DirectoryEntry& entry) {
    if (scenario_of_name(entry.name)) files.emplace_back(entry.name);
  }));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string scenarios_folder(const std::string& configuration) {
  return configuration.empty() ? std::string() : configuration + "/scenarios";
}

Result<Scenario> find_scenario(const std::string& wanted, const std::string& configuration) {
  if (wanted.find('/') != std::string::npos || scenario_of_name(wanted)) {
    return read_scenario_file(wanted);
  }
  const std::string folder = scenarios_folder(configuration);
  TRY_ASSIGN(const auto files, files_in(folder));
  std::vector<std::string_view> names;
  for (const std::string& file : files) {
    const std::string_view name = *scenario_of_name(file);
    if (name == wanted) return read_scenario_file(folder + "/" + file);
    names.push_back(name);
  }
  for (const Scenario& scenario : built_in_scenarios()) {
    if (scenario.name == wanted) return scenario;
    names.push_back(scenario.name);
  }
  return fail(ErrorCode::kNotFound, fmt::format("scenario '{}': there is none of that name{}",
                                                excerpt(wanted, 60), suggest(wanted, names)));
}

Result<ScenarioListing> list_scenarios(const std::string& configuration) {
  ScenarioListing listing;
  const std::string folder = scenarios_folder(configuration);
  TRY_ASSIGN(const auto files, files_in(folder));
  std::vector<Scenario> own;
  std::vector<std::string> taken;
  for (const std::string& file : files) {
    taken.emplace_back(*scenario_of_name(file));
    auto scenario = read_scenario_file(folder + "/" + file);
    if (scenario) {
      own.push_back(*std::move(scenario));
    } else {
      listing.unreadable.push_back(scenario.error().message);
    }
  }
  for (const Scenario& scenario : built_in_scenarios()) {
    if (std::find(taken.begin(), taken.end(), scenario.name) == taken.end()) {
      listing.scenarios.push_back(scenario);
    }
  }
  for (Scenario& scenario : own) listing.scenarios.push_back(std::move(scenario));
  return listing;
}

}  // namespace filecall::client
