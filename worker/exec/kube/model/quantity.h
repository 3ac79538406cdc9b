// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace filecall::worker::kube {

/// An amount as Kubernetes writes it ("250m", "1.5Gi", "129e6", "12345678n"). Pure.
class Quantity {
 public:
  /// nullopt: it is none, or too large to be counted.
  static std::optional<Quantity> parse(std::string_view text);

  /// Thousandths, rounded up, 9e18 at most: of a processor "250m" is 250, "100n" is 1.
  std::int64_t thousandths() const;
  /// Whole ones, rounded up, 9e18 at most: bytes.
  std::int64_t whole() const;

  bool operator<(const Quantity& other) const { return value_ < other.value_; }
  Quantity& operator+=(const Quantity& other) {
    value_ += other.value_;
    return *this;
  }

 private:
  long double value_ = 0;  ///< 64 bits of mantissa: bytes up to exbibytes are exact.
};

}  // namespace filecall::worker::kube
