// SPDX-License-Identifier: MIT
#include "client/service/answer_memory.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

/// The layout below belongs to it: a file of another one, or of a machine that orders bytes the
/// other way, is not read.
constexpr std::uint64_t kMagic = 0x31'4e'45'45'53'4c'43'46;  // "FCLSEEN1"
constexpr std::size_t kFileBytesMax = std::size_t{1} << 31;
constexpr std::int64_t kGranularityNs = 100'000'000;

struct Header {
  std::uint64_t magic = kMagic;
  DirectoryStamp stamp;
  std::uint64_t size = 0;
  std::uint64_t slots = 0;
  Hash128 check;  ///< Of the slots' bytes.
};
static_assert(std::is_trivially_copyable_v<Header>);

std::uint64_t hash_of(std::string_view stem) {
  const std::uint64_t hash = hash64(stem);
  return hash == 0 ? 1 : hash;
}

std::uint64_t hash_of(const spool::FileIdentity& identity) {
  const std::int64_t members[] = {static_cast<std::int64_t>(identity.inode), identity.mtime_ns,
                                  identity.size};
  return hash64({reinterpret_cast<const char*>(members), sizeof(members)}) & ~std::uint64_t{1};
}

}  // namespace

bool DirectoryStamp::holds_in(const DirectoryStamp& now) const {
  return device == now.device && inode == now.inode && mtime_ns == now.mtime_ns &&
         ctime_ns == now.ctime_ns && taken_at_ns - std::max(mtime_ns, ctime_ns) >= kGranularityNs;
}

bool AnswerMemory::Entry::is_of(const spool::FileIdentity& identity) const {
  return identity_hash == hash_of(identity);
}

AnswerMemory AnswerMemory::load(const std::string& path) {
  AnswerMemory memory;
  const auto bytes = read_regular_file(path, kFileBytesMax);
  Header header;
  if (!bytes || bytes->size() < sizeof(header)) return memory;
  std::memcpy(&header, bytes->data(), sizeof(header));
  const std::string_view slots = std::string_view(*bytes).substr(sizeof(header));
  if (header.magic != kMagic || header.slots != slots.size() / sizeof(Slot) ||
      slots.size() % sizeof(Slot) != 0 || !std::has_single_bit(header.slots) ||
      header.size * 2 > header.slots || hash128(slots) != header.check) {
    return memory;
  }
  memory.stamp_ = header.stamp;
  memory.size_ = header.size;
  memory.slots_.resize(header.slots);
  std::memcpy(memory.slots_.data(), slots.data(), slots.size());
  return memory;
}

Result<void> AnswerMemory::save(const std::string& path) const {
  if (slots_.empty()) return {};
  const std::string_view slots(reinterpret_cast<const char*>(slots_.data()),
                               slots_.size() * sizeof(Slot));
  const Header header{kMagic, stamp_, size_, slots_.size(), hash128(slots)};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += slots;
  const std::size_t slash = path.rfind('/');
  TRY_ASSIGN(const UniqueFd folder, open_file(path.substr(0, slash), O_RDONLY | O_DIRECTORY));
  return spool::replace_file(folder.get(), path.substr(slash + 1), bytes, Durability::kNone);
}

std::optional<AnswerMemory::Entry> AnswerMemory::find(std::string_view stem) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint64_t wanted = hash_of(stem);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = wanted & mask; slots_[at].stem_hash != 0; at = (at + 1) & mask) {
    if (slots_[at].stem_hash != wanted) continue;
    const std::uint64_t mark = slots_[at].identity_hash;
    return Entry{(mark & 1) != 0, mark & ~std::uint64_t{1}};
  }
  return std::nullopt;
}

void AnswerMemory::put(std::string_view stem, const Entry& entry) {
  if ((size_ + 1) * 2 > slots_.size()) {
    std::vector<Slot> old(std::max<std::size_t>(16, slots_.size() * 2));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.stem_hash != 0) slot_for(slot.stem_hash) = slot;
    }
  }
  const std::uint64_t hash = hash_of(stem);
  Slot& slot = slot_for(hash);
  if (slot.stem_hash == 0) ++size_;
  slot = {hash, entry.identity_hash | (entry.is_success ? 1 : 0)};
}

void AnswerMemory::put(std::string_view stem, bool is_success,
                       const spool::FileIdentity& identity) {
  put(stem, Entry{is_success, hash_of(identity)});
}

AnswerMemory::Slot& AnswerMemory::slot_for(std::uint64_t stem_hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = stem_hash & mask;
  while (slots_[at].stem_hash != 0 && slots_[at].stem_hash != stem_hash) at = (at + 1) & mask;
  return slots_[at];
}

}  // namespace filecall::client
