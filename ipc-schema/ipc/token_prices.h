// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace filecall {

/// US dollars for a million tokens.
struct TokenPrice {
  double input = 0;
  double output = 0;
  std::optional<double> cached_input{};  ///< Absent: as `input`.

  /// US$. `cached` is a part of `input_tokens`.
  double cost(std::int64_t input_tokens, std::int64_t cached, std::int64_t output_tokens) const;
};

/// Prices by the names of models. A name that ends in "*" stands for all that begin like it.
class TokenPrices {
 public:
  /// False: the name has a price already, which stays.
  bool add(const std::string& name, const TokenPrice& price);
  bool empty() const { return exact_.empty() && beginnings_.empty(); }

  /// The price of a call. Providers answer with names that nobody asked for (a date is added, an
  /// alias is resolved), so the name that was asked for comes first, then the one that answered;
  /// an exact name before a beginning, a longer beginning before a shorter one. Names written
  /// "PROVIDER/MODEL" come before all others. Null: there is none. Empty names fit nothing.
  const TokenPrice* find(std::string_view provider, std::string_view requested,
                         std::string_view answered) const;

 private:
  const TokenPrice* find_exact(const std::string& name) const;
  const TokenPrice* find_beginning(std::string_view name, std::size_t length_min) const;

  std::map<std::string, TokenPrice, std::less<>> exact_;
  std::map<std::string, TokenPrice, std::less<>> beginnings_;  ///< Without their "*".
};

}  // namespace filecall
