// SPDX-License-Identifier: MIT
#include "client/service/price_files.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "ipc/limits.h"
#include "os/regular_file.h"
#include "yaml/yaml_section.h"

namespace filecall::client {
namespace {

constexpr double kPriceMax = 1e9;

/// Lenient: the worker itself checks the whole file.
Result<void> add_worker_prices(const std::string& path, TokenPrices& table) {
  TRY_ASSIGN(const std::string text, read_named_file(path, limits::kRequestBytes));
  std::vector<std::string> complaints;
  TRY_ASSIGN(YamlSection file, YamlSection::parse(text, path, complaints));
  file.section("llm", [&](YamlSection& llm) {
    llm.each("providers", [&](const std::string& provider, YamlSection& members) {
      members.each("prices", [&](const std::string& model, YamlSection& members_of_price) {
        TokenPrice price;
        double cached = -1;
        members_of_price.read_number("input", 0, kPriceMax, price.input);
        members_of_price.read_number("output", 0, kPriceMax, price.output);
        members_of_price.read_number("cached_input", 0, kPriceMax, cached);
        if (cached >= 0) price.cached_input = cached;
        std::vector<std::string> names;
        members_of_price.read("aliases", names);
        names.push_back(model);
        for (const std::string& name : names) {
          table.add(fmt::format("{}/{}", provider, name), price);
          table.add(name, price);
        }
      });
    });
  });
  return {};
}

}  // namespace

Result<TokenPrices> load_prices(const std::string& prices, const std::string& worker_config) {
  TokenPrices table;
  if (!prices.empty()) {
    TRY_ASSIGN(const std::string text, read_named_file(prices, limits::kRequestBytes));
    auto parsed = parse_prices(text);
    if (!parsed) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--prices: {}: {}", prices, parsed.error().message));
    }
    table = std::move(*parsed);
  }
  if (!worker_config.empty()) TRY(add_worker_prices(worker_config, table));
  return table;
}

}  // namespace filecall::client
