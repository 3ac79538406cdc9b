// SPDX-License-Identifier: MIT
// A root whose files somebody else wrote: start records, journals, locks, the status, answers that
// are half there, links and FIFOs among them. A worker and a client that open it find what is
// there or have an error; nothing waits, and nothing outside the root is touched.
#include <fcntl.h>
#include <fuzzer/FuzzedDataProvider.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/stem.h"
#include "client/engine/owner_lock.h"
#include "client/engine/worker_process.h"
#include "spool/journal.h"
#include "spool/journal_record.h"
#include "spool/layout.h"
#include "spool/lock.h"
#include "spool/pending_scan.h"
#include "spool/root.h"
#include "spool/root_medium.h"
#include "tests/fuzz/fuzz_place.h"

namespace {

using namespace filecall;
using fuzz::Place;
namespace spool = filecall::spool;

constexpr std::size_t kFilesMax = 24;

std::string name_of(FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return "a.json";
    case 1:
      return "a.1.none";
    case 2:
      return "a.2.external";
    case 3:
      return "1.log";
    case 4:
      return "lock";
    case 5:
      return "status.json";
    case 6:
      return "../../outside";
    default:
      return input.ConsumeRandomLengthString(40);
  }
}

std::string journal_of(FuzzedDataProvider& input, const spool::Directories& directories) {
  const std::uint64_t lap = 7;
  const std::uint64_t medium =
      input.ConsumeBool() ? spool::medium_of(directories) : input.ConsumeIntegral<std::uint64_t>();
  std::string out = spool::encode_header({lap, medium});
  for (int left = input.ConsumeIntegralInRange(0, 6); left > 0; --left) {
    spool::JournalRecord record;
    record.kind = static_cast<spool::RecordKind>(input.ConsumeIntegralInRange(1, 3));
    record.sequence = input.ConsumeIntegralInRange<std::uint64_t>(0, 8);
    record.mtime_ns = input.ConsumeIntegral<std::int64_t>();
    const std::string name = input.ConsumeBool() ? "a" : name_of(input);
    const std::string bytes = input.ConsumeBool()
                                  ? R"({"request_id":"a","status":"success","data":{}})"
                                  : input.ConsumeRandomLengthString(100);
    record.name = name;
    record.bytes = bytes;
    spool::append_record(out, input.ConsumeBool() ? lap : lap + 1, record);
  }
  return out;
}

/// Names are looked up as they stand, so that some lead elsewhere; those do nothing.
void add_file(FuzzedDataProvider& input, const Place& place, const spool::Directories& at) {
  const spool::Layout layout(place.inside());
  const std::string places[] = {
      layout.worker(),       layout.worker_started(), layout.worker_journal(), layout.worker_tmp(),
      layout.requests(),     layout.responses(),      layout.failed(),         layout.client(),
      layout.client_locks(), layout.worker_late()};
  const std::string folder = places[input.ConsumeIntegralInRange<std::size_t>(0, 9)];
  const std::string name = name_of(input);
  if (name.empty() || name.find_first_of(std::string_view("/\0", 2)) != name.npos) return;
  const std::string path = folder + "/" + name;
  switch (input.ConsumeIntegralInRange(0, 5)) {
    case 0:
      if (::symlink(place.outside().c_str(), path.c_str()) != 0) return;
      break;
    case 1:
      if (::mkfifo(path.c_str(), 0600) != 0) return;
      break;
    case 2:
      if (::mkdir(path.c_str(), 0700) != 0) return;
      break;
    case 3:
      Place::write(path, journal_of(input, at));
      break;
    case 4:
      Place::write(path, R"({"request_id":"a","status":"success","data":{}})");
      break;
    default:
      Place::write(path, input.ConsumeRandomLengthString(400));
  }
}

void use_as_worker(const Place& place) {
  const auto root = spool::Root::open(place.inside(), {});
  if (!root) return;
  const auto lock = spool::FileLock::acquire(root->layout().worker_lock());
  spool::RootMedium medium(*root, Durability::kNone);
  const auto left = medium.recover();
  if (!left) {
    CHECK(!left.error().message.empty(), "an error says why");
    return;
  }
  for (const auto& start : *left) CHECK(is_valid_stem(start.stem), "a start has a stem");
  auto scan = spool::PendingScan::begin(root->directories(), true, [](std::string_view) {});
  if (!scan) return;
  for (;;) {
    const auto is_done = scan->step();
    if (!is_done) return;
    if (*is_done) break;
  }
  const auto names = scan->take();
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(is_valid_stem(names[i]), "what is pending has a stem");
    (void)medium.publish(names[i], "{}", std::nullopt);
    (void)medium.keep_late(names[i], "{}");
  }
}

void use_as_client(const Place& place) {
  const auto view = client::worker_view(place.inside());
  CHECK(!view || view->pid == 0, "nobody works here");
  const spool::Layout layout(place.inside());
  const auto owner = client::OwnerLock::acquire(layout, "fuzz");
  if (owner) CHECK(owner->is_alive(owner->name()), "a client lives");
  (void)client::log_tail(layout.worker_log(), 5);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  place.clear();
  FuzzedDataProvider input(data, size);
  {
    const auto root = spool::Root::open(place.inside(), {});
    CHECK(root.has_value(), "an empty root opens");
    for (std::size_t i = 0; i < kFilesMax && input.remaining_bytes() > 0; ++i) {
      add_file(input, place, *root->directories());
    }
  }
  use_as_client(place);
  use_as_worker(place);
  CHECK(place.is_outside_untouched(), "nothing outside the root is touched");
  return 0;
}
