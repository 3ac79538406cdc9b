// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "client/core/run_limits.h"
#include "client/core/spend.h"
#include "ipc/token_prices.h"

namespace filecall::client {

/// What one call of a language model may use, known before it is sent.
struct CallEstimate {
  bool asks_model = false;  ///< False: another command, which uses nothing.
  std::string provider;
  std::string model;
  std::int64_t input_tokens = 0;              ///< Reckoned from the request's text, rather high.
  std::optional<std::int64_t> output_tokens;  ///< At most; absent: the request has no limit.
};
/// Of a request's text. Pure.
CallEstimate estimate_call(std::string_view request_text);

/// Keeps the limits of cost and tokens: what a call may use in the worst case is reserved before it
/// begins and released when it has ended, so that what was used and what is reserved never are more
/// than the limit. The worst case is the estimate of the input and `max_tokens`, by the model's
/// price. Where the price or `max_tokens` is missing, it is half as much again as the most that a
/// call of that model has used (or the mean of earlier runs), and exactly that for a call that runs
/// alone; before anything is known, a call begins alone. Pure; not thread-safe.
class CallBudget {
 public:
  /// `earlier`: what earlier runs used.
  CallBudget(const RunLimits& limits, TokenPrices prices, const Spend& earlier = {});

  /// Whether a call may begin when `spent` was used already. kStop: never again. `is_running`: of
  /// the reserved ones some run now; others wait for their next attempt, which may take long.
  AdmissionVerdict admit(const CallEstimate& call, const Spend& spent, bool is_running) const;
  /// The call of a request begins.
  void reserve(const std::string& id, const CallEstimate& call, const Spend& spent);
  /// A request has ended, and used that in all its attempts. Unknown ids are fine.
  void release(std::string_view id, const Spend& used);
  /// Failed attempts that were paid for have used so much that what is reserved no longer fits:
  /// no attempt may begin.
  bool has_excess(const Spend& spent) const;

  bool is_needed() const { return limits_.cost || limits_.tokens; }

 private:
  struct Amount {
    double cost = 0;
    double tokens = 0;
  };
  struct Reservation {
    std::string model;
    Amount amount;
    bool is_alone = false;
  };

  /// The request and the prices say what it may use at most.
  bool is_bounded(const CallEstimate& call) const;
  /// nullopt: nobody can say.
  std::optional<Amount> worst_case(const CallEstimate& call) const;
  /// The most that a call of the model has used; null: unknown.
  const Amount* most_used(const CallEstimate& call) const;
  /// Beside `others`.
  bool fits(const Amount& amount, const Amount& others, const Spend& spent) const;
  std::string refusal(const Amount& most, const Spend& spent) const;

  RunLimits limits_;
  TokenPrices prices_;
  std::map<std::string, Reservation, std::less<>> reserved_;
  Amount sum_;
  int alone_ = 0;
  std::map<std::string, Amount, std::less<>> most_used_;  ///< By "provider/model".
  std::optional<Amount> earlier_mean_;
};

}  // namespace filecall::client
