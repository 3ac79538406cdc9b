// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/core/spend.h"

namespace filecall {
struct Response;
}

namespace filecall::client {

/// Prices by the names of models, for answers that have no cost of their own.
class PriceTable {
 public:
  struct Price {
    double input = 0;  ///< US$ a million tokens
    double output = 0;
    std::optional<double> cached_input;  ///< Absent: as `input`.
  };

  /// {"model": {"input": 0.4, "output": 1.6, "cached_input": 0.1}, ...}; "*" is any other model.
  /// Failure: invalid_argument.
  static Result<PriceTable> parse(std::string_view text);

  /// Unless the name has a price already.
  void add(const std::string& name, const Price& price) { prices_.try_emplace(name, price); }
  /// The price of "provider/model", else of the model, else of "*"; null: there is none.
  const Price* find(std::string_view model, std::string_view provider) const;

 private:
  std::map<std::string, Price, std::less<>> prices_;
};

/// What a response says it used: the data's `usage` and `cost`, or those of the answer that a
/// failure kept because it did not fit its schema. Nothing for other commands. Pure.
Spend spend_of(const Response& response, const PriceTable& prices);

}  // namespace filecall::client
