// SPDX-License-Identifier: MIT
#include "ipc/schema_format.h"

#include <algorithm>

namespace filecall {
namespace {

constexpr SchemaFormat kFormats[] = {SchemaFormat::kDate, SchemaFormat::kTime,
                                     SchemaFormat::kDateTime};

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from its front; once something does not fit, all the rest does not.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  int two_digits(int min, int max) {
    if (text_.size() < 2 || !is_decimal(text_[0]) || !is_decimal(text_[1])) return broken();
    const int value = (text_[0] - '0') * 10 + (text_[1] - '0');
    text_.remove_prefix(2);
    return value < min || value > max ? broken() : value;
  }
  int four_digits() {
    const int century = two_digits(0, 99);
    return century * 100 + two_digits(0, 99);
  }
  /// One or more.
  void digits() {
    const auto end = std::find_if_not(text_.begin(), text_.end(), is_decimal);
    const auto size = static_cast<std::size_t>(end - text_.begin());
    text_.remove_prefix(size);
    if (size == 0) broken();
  }
  bool take(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_[0]) == any_of.npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  void need(std::string_view any_of) {
    if (!take(any_of)) broken();
  }
  bool is_at_end() const { return !is_broken_ && text_.empty(); }

 private:
  int broken() {
    is_broken_ = true;
    text_ = {};
    return 0;
  }

  std::string_view text_;
  bool is_broken_ = false;
};

bool is_leap(int year) { return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0); }

void read_date(Reader& text) {
  constexpr int kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int year = text.four_digits();
  text.need("-");
  const int month = text.two_digits(1, 12);
  text.need("-");
  const int last = month == 0 ? 31 : kDays[month - 1];
  text.two_digits(1, month == 2 && !is_leap(year) ? 28 : last);
}

void read_time(Reader& text) {
  text.two_digits(0, 23);
  text.need(":");
  text.two_digits(0, 59);
  text.need(":");
  text.two_digits(0, 60);
  if (text.take(".")) text.digits();
  if (text.take("Zz")) return;
  text.need("+-");
  text.two_digits(0, 23);
  text.need(":");
  text.two_digits(0, 59);
}

}  // namespace

std::string_view to_string(SchemaFormat format) {
  switch (format) {
    case SchemaFormat::kDate:
      return "date";
    case SchemaFormat::kTime:
      return "time";
    case SchemaFormat::kDateTime:
      break;
  }
  return "date-time";
}

std::optional<SchemaFormat> find_schema_format(std::string_view name) {
  for (const SchemaFormat format : kFormats) {
    if (to_string(format) == name) return format;
  }
  return std::nullopt;
}

bool has_format(std::string_view text, SchemaFormat format) {
  Reader reader(text);
  if (format != SchemaFormat::kTime) read_date(reader);
  if (format == SchemaFormat::kDateTime) reader.need("Tt");
  if (format != SchemaFormat::kDate) read_time(reader);
  return reader.is_at_end();
}

}  // namespace filecall
