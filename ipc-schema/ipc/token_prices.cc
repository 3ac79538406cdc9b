// SPDX-License-Identifier: MIT
#include "ipc/token_prices.h"

#include <algorithm>

namespace filecall {

double TokenPrice::cost(std::int64_t input_tokens, std::int64_t cached,
                        std::int64_t output_tokens) const {
  cached = std::min(cached, input_tokens);  // Whatever the answer says: a part of them.
  return (static_cast<double>(input_tokens - cached) * input +
          static_cast<double>(cached) * cached_input.value_or(input) +
          static_cast<double>(output_tokens) * output) /
         1e6;
}

bool TokenPrices::add(const std::string& name, const TokenPrice& price) {
  if (!name.ends_with('*')) return exact_.try_emplace(name, price).second;
  return beginnings_.try_emplace(name.substr(0, name.size() - 1), price).second;
}

const TokenPrice* TokenPrices::find_exact(const std::string& name) const {
  const auto found = exact_.find(name);
  return found == exact_.end() ? nullptr : &found->second;
}

const TokenPrice* TokenPrices::find_beginning(std::string_view name, std::size_t length_min) const {
  for (std::size_t length = name.size() + 1; length-- > length_min;) {
    const auto found = beginnings_.find(name.substr(0, length));
    if (found != beginnings_.end()) return &found->second;
  }
  return nullptr;
}

const TokenPrice* TokenPrices::find(std::string_view provider, std::string_view requested,
                                    std::string_view answered) const {
  const std::string scope = provider.empty() ? "" : std::string(provider) + "/";
  for (const std::string& front : {scope, std::string()}) {
    for (const std::string_view model : {requested, answered}) {
      if (model.empty()) continue;
      if (const auto* price = find_exact(front + std::string(model))) return price;
    }
    for (const std::string_view model : {requested, answered}) {
      const std::string name = front + std::string(model);
      if (const auto* price = find_beginning(name, front.size())) return price;
    }
  }
  return nullptr;
}

}  // namespace filecall
