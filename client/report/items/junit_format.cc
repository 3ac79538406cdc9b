// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <tinyxml2.h>

#include "base/utf8.h"
#include "client/report/items/report_format.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kMessageColumns = 300;

/// Text that XML 1.0 can hold (2.2 Characters): no control characters but tab and line breaks, no
/// U+FFFE and U+FFFF, no malformed UTF-8; the library escapes the rest.
std::string xml_text(std::string_view text) {
  const std::string clean = sanitize_utf8(text);
  std::string out;
  out.reserve(clean.size());
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const auto byte = static_cast<unsigned char>(clean[i]);
    const bool is_noncharacter =
        clean.compare(i, 3, "\xef\xbf\xbe") == 0 || clean.compare(i, 3, "\xef\xbf\xbf") == 0;
    const bool is_control = byte < 0x20 && byte != '\n' && byte != '\t';
    if (is_control || is_noncharacter) {
      out += "\xef\xbf\xbd";
      i += is_noncharacter ? 2 : 0;
    } else {
      out += clean[i];
    }
  }
  return out;
}

/// For attributes that are names: one line, never empty.
std::string xml_name(std::string_view text) {
  std::string out = one_line(xml_text(text), kMessageColumns);
  return out.empty() ? "-" : out;
}

std::string seconds_of(std::int64_t ms) {
  return fmt::format("{:.3f}", static_cast<double>(ms) / 1000);
}

std::string failure_text(const ReportItem& item) {
  std::string text = fmt::format("attempts: {}\n", item.attempts);
  if (item.evaluation) {
    for (const Grade& grade : item.evaluation->grades) {
      text += fmt::format("{} ({}): {}{}{}\n", grade.name, grade.kind,
                          grade.score ? fmt::format("{:.3g}", *grade.score) : "ungraded",
                          grade.reason.empty() ? "" : ": ", grade.reason);
    }
  }
  return text + fmt::format("\nprompt:\n{}\n\nanswer:\n{}\n", item.prompt, item.answer);
}

std::string skip_reason(const ReportItem& item) {
  std::string text(to_string(item.outcome));
  if (!item.evaluation) return text;
  if (!item.evaluation->reason.empty()) text += ": " + item.evaluation->reason;
  for (const Grade& grade : item.evaluation->grades) {
    if (!grade.score && !grade.reason.empty()) text += ": " + grade.name + ": " + grade.reason;
  }
  return text;
}

class JunitFormat final : public ReportFormat {
 public:
  explicit JunitFormat(std::string host) : host_(std::move(host)) {}

  std::string item(const ReportItem& item) override {
    tinyxml2::XMLPrinter printer(nullptr, false, 1);
    std::string group = item.subject();
    if (!item.prompt_name.empty()) group += "." + item.prompt_name;
    printer.OpenElement("testcase");
    printer.PushAttribute("name", xml_name(item.request_id).c_str());
    printer.PushAttribute("classname", xml_name(group).c_str());
    printer.PushAttribute("time", seconds_of(item.run_ms).c_str());
    ++tests_;
    put_outcome(item, printer);
    printer.CloseElement();
    return std::string(printer.CStr()) + "\n";
  }

  std::string head(const ReportTally& tally) override {
    tinyxml2::XMLPrinter printer;
    const RunSummary& run = tally.run();
    const auto attribute = [&](const char* name, const std::string& value) {
      printer.PushAttribute(name, value.c_str());
    };
    printer.PushHeader(false, true);
    printer.OpenElement("testsuites");
    printer.OpenElement("testsuite");
    attribute("name", xml_name(run.name.empty() ? "filecall" : run.name));
    attribute("package", tally.evaluation.empty() ? "filecall" : xml_name(tally.evaluation));
    attribute("id", "0");
    attribute("timestamp", format_rfc3339(run.started_at()).substr(0, 19));
    attribute("hostname", host_.empty() ? "localhost" : xml_name(host_));
    attribute("tests", std::to_string(tests_));
    attribute("failures", std::to_string(failures_));
    attribute("errors", std::to_string(errors_));
    attribute("skipped", std::to_string(skipped_));
    attribute("time", seconds_of(to_ms(run.elapsed())));
    printer.OpenElement("properties");
    const auto property = [&](const char* name, const std::string& value) {
      printer.OpenElement("property");
      attribute("name", name);
      attribute("value", xml_text(value));
      printer.CloseElement();
    };
    property("root", run.root);
    if (!run.run_id.empty()) property("run", run.run_id);
    property("evaluation", tally.evaluation);
    printer.CloseElement();
    // The cases follow: what is open here, tail() closes.
    return std::string(printer.CStr()) + "\n";
  }

  std::string tail(const ReportTally&) override {
    return "<system-out/>\n<system-err/>\n</testsuite>\n</testsuites>\n";
  }

 private:
  void put_outcome(const ReportItem& item, tinyxml2::XMLPrinter& printer) {
    const auto element = [&](const char* name, const std::string& type, const std::string& message,
                             const std::string& text) {
      printer.OpenElement(name);
      printer.PushAttribute("type", xml_name(type).c_str());
      printer.PushAttribute("message", one_line(xml_text(message), kMessageColumns).c_str());
      if (!text.empty()) printer.PushText(xml_text(text).c_str());
      printer.CloseElement();
    };
    switch (item.outcome) {
      case ItemOutcome::kAnswered:
        return;
      case ItemOutcome::kGraded:
        if (item.evaluation->passed.value_or(false)) return;
        ++failures_;
        element("failure", "grade", fmt::format("score {:.3g}", item.evaluation->score.value_or(0)),
                failure_text(item));
        return;
      case ItemOutcome::kError:
      case ItemOutcome::kSchemaInvalid:
      case ItemOutcome::kMissing:
        ++errors_;
        element("error", item.error_class, item.error_message, failure_text(item));
        return;
      default:
        ++skipped_;
        element("skipped", std::string(to_string(item.outcome)), skip_reason(item), "");
    }
  }

  std::string host_;
  std::int64_t tests_ = 0;
  std::int64_t failures_ = 0;
  std::int64_t errors_ = 0;
  std::int64_t skipped_ = 0;
};

}  // namespace

std::unique_ptr<ReportFormat> junit_format(std::string host) {
  return std::make_unique<JunitFormat>(std::move(host));
}

}  // namespace filecall::client
