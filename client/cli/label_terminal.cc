// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cstdio>

#include "client/cli/eval_label.h"
#include "client/cli/output.h"
#include "client/eval/subject.h"
#include "client/grades/line_file.h"
#include "client/report/text_layout.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

/// A line of standard input; nullopt: there is no more.
std::optional<std::string> typed_line() {
  constexpr std::size_t kLineMax = 10'000;
  std::string line;
  for (int byte = std::getchar(); byte != EOF; byte = std::getchar()) {
    if (byte == '\n') return line;
    if (line.size() < kLineMax) line += static_cast<char>(byte);
  }
  return line.empty() ? std::nullopt : std::optional(line);
}

void print_part(const char* title, const std::string& text) {
  print(fmt::format("\n{}:\n{}\n", title, without_controls(text)));
}

void print_subject(const LabelTask& task, std::size_t place, const std::string& label) {
  const LabelSubject& subject = task.subjects[place];
  print(fmt::format("\n---- {} of {} ----\n", place + 1, task.subjects.size()));
  print_part("Prompt", subject.prompt);
  if (subject.vars.is_object()) {
    for (const auto& [name, value] : subject.vars.items()) {
      print(fmt::format("\n{}: {}\n", one_line(name, 60), without_controls(plain_text(value))));
    }
  }
  if (!subject.expected.empty()) print_part("Expected", subject.expected);
  print_part("Response", subject.answer);
  if (!label.empty()) print(fmt::format("\nLabelled: {}\n", label));
}

void print_choices(const LabelTask& task, const std::vector<std::string>& keys) {
  std::string line = "\n";
  for (std::size_t i = 0; i < task.choices.size(); ++i) {
    line += keys[i] == task.choices[i].name || keys[i].empty()
                ? task.choices[i].name + "  "
                : fmt::format("{} {}  ", keys[i], task.choices[i].name);
  }
  print(line +
        "(b back, s skip, u remove the label, q quit; a label, a space and a text: a note)\n> ");
  std::fflush(stdout);
}

/// The label that a person typed, by its key or its name; empty: none.
std::string chosen(const LabelTask& task, const std::vector<std::string>& keys,
                   const std::string& typed) {
  for (std::size_t i = 0; i < task.choices.size(); ++i) {
    if (typed == task.choices[i].name || (!keys[i].empty() && typed == keys[i])) {
      return task.choices[i].name;
    }
  }
  return {};
}

Result<void> store(const LabelTask& task, const spool::Layout& layout, std::size_t place,
                   const std::string& label, const std::string& note) {
  const LabelSubject& subject = task.subjects[place];
  const HumanLabel made{.request_id = subject.request_id,
                        .response_digest = subject.response_digest,
                        .evaluation = task.evaluation,
                        .grader = task.grader,
                        .scale = task.scale,
                        .label = label,
                        .by = task.by,
                        .at = wall_now(),
                        .note = note};
  return append_lines(layout, layout.labels(), render_human_label(made),
                      [](const std::string& text) { print_error(text); });
}

}  // namespace

Result<std::int64_t> label_on_terminal(const LabelTask& task, const spool::Layout& layout) {
  const std::vector<std::string> keys = choice_keys(task);
  std::vector<std::string> labels;
  for (const LabelSubject& subject : task.subjects) labels.push_back(subject.label);
  if (!task.guidance.empty()) print_part("The question to judges", task.guidance);
  std::int64_t labelled = 0;
  std::size_t place = 0;
  while (place < labels.size() && !labels[place].empty()) ++place;
  while (place < labels.size()) {
    print_subject(task, place, labels[place]);
    print_choices(task, keys);
    const auto line = typed_line();
    if (!line || *line == "q") break;
    if (*line == "s" || line->empty()) {
      ++place;
      continue;
    }
    if (*line == "b") {
      place -= place > 0 ? 1 : 0;
      continue;
    }
    const std::size_t space = line->find(' ');
    // A label may have spaces itself.
    std::string label = chosen(task, keys, *line);
    std::string note;
    if (label.empty() && space != std::string::npos) {
      label = chosen(task, keys, line->substr(0, space));
      note = line->substr(space + 1);
    }
    if (label.empty() && *line != "u") {
      print("That is none of the labels.\n");
      continue;
    }
    TRY(store(task, layout, place, label, note));
    labels[place] = label;
    if (label.empty()) continue;
    ++labelled;
    ++place;
  }
  return labelled;
}

}  // namespace filecall::client
