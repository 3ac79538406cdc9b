// SPDX-License-Identifier: MIT
#include "worker/exec/tool/output_events.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/utf8.h"

namespace filecall::worker {
namespace {

constexpr std::size_t kPieceBytesMax = 16 * 1024;

/// As much of it as one event holds; characters stay whole.
std::string_view first_piece(std::string_view text) {
  if (text.size() <= kPieceBytesMax) return text;
  text = text.substr(0, kPieceBytesMax);
  return text.substr(0, text.size() - unfinished_utf8_end(text));
}

std::size_t index_of(OutputSource source) { return static_cast<std::size_t>(source); }

}  // namespace

void OutputEvents::append(OutputSource source, std::string_view bytes) {
  if (bytes.empty()) return;
  waiting_ += bytes.size();
  if (parts_.empty() || parts_.back().source != source) parts_.push_back({source, {}});
  parts_.back().bytes.append(bytes);
}

void OutputEvents::cut(OutputSource source, std::string_view text, std::vector<Event>* events) {
  std::uint64_t& offset = offsets_[index_of(source)];
  while (!text.empty()) {
    const std::string_view piece = first_piece(text);
    text.remove_prefix(piece.size());
    Event event{source, piece.size(), Json::object()};
    event.json["event"] = "output";
    event.json["stream"] = source == OutputSource::kStdout ? "stdout" : "stderr";
    event.json["offset"] = offset;
    if (is_valid_utf8(piece)) {
      event.json["text"] = piece;
    } else {
      event.json["text"] = base64_encode(piece);
      event.json["text_base64"] = true;
    }
    offset += piece.size();
    events->push_back(std::move(event));
  }
}

std::vector<OutputEvents::Event> OutputEvents::take(bool is_last) {
  std::vector<Event> events;
  for (Part& part : std::exchange(parts_, {})) {
    std::string text = std::exchange(unfinished_[index_of(part.source)], {}) + part.bytes;
    const std::size_t whole = text.size() - unfinished_utf8_end(text);
    unfinished_[index_of(part.source)] = text.substr(whole);
    text.resize(whole);
    cut(part.source, text, &events);
  }
  waiting_ = 0;
  if (is_last) {
    for (const OutputSource source : {OutputSource::kStdout, OutputSource::kStderr}) {
      cut(source, std::exchange(unfinished_[index_of(source)], {}), &events);
    }
  }
  return events;
}

}  // namespace filecall::worker
