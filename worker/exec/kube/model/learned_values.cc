// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/learned_values.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kShort = 6;
constexpr std::size_t kShortNumber = 12;
constexpr std::array kCommon = std::to_array<std::string_view>(
    {"adminadmin",  "administrator", "application", "cassandra",     "changeit",   "changeme",
     "change-me",   "cluster",       "clickhouse",  "couchdb",       "database",   "default",
     "development", "disabled",      "elastic",     "elasticsearch", "enabled",    "example",
     "grafana",     "influxdb",      "jenkins",     "keycloak",      "kibana",     "kubernetes",
     "localhost",   "mariadb",       "minioadmin",  "mongodb",       "neo4j",      "nextcloud",
     "optional",    "password",      "password1",   "postgres",      "postgresql", "production",
     "rabbitmq",    "readonly",      "required",    "secret",        "service",    "sonarqube",
     "staging",     "superuser",     "testing",     "username",      "wordpress",  "zookeeper"});

}  // namespace

bool is_plain_value(std::string_view value) {
  if (value.size() < kShort) return true;
  if (value.size() < kShortNumber && std::all_of(value.begin(), value.end(), [](char c) {
        return is_digit_char(c) || c == '.';
      })) {
    return true;
  }
  return std::find(kCommon.begin(), kCommon.end(), value) != kCommon.end();
}

void take_out_names(const std::vector<std::string_view>& names, std::vector<std::string>& values) {
  if (values.empty()) return;
  std::unordered_set<std::string_view> wanted(values.begin(), values.end());
  std::unordered_set<std::string_view> found;
  const auto look = [&](std::string_view text) {
    if (wanted.contains(text)) found.insert(*wanted.find(text));
  };
  for (const std::string_view name : names) {
    look(name);
    for (std::size_t begin = 0; begin < name.size();) {
      const std::size_t end = std::min(name.find_first_of("/:@.", begin), name.size());
      look(name.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  // The set points into `values`: decide for all before one goes.
  std::vector<std::string> kept;
  for (std::string& value : values) {
    if (!found.contains(value)) kept.push_back(value);
  }
  values = std::move(kept);
}

}  // namespace filecall::worker::kube
