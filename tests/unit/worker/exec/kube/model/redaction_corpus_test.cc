// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "embedded/corpus_files.h"
#include "tests/unit/worker/exec/kube/model/corpus.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kEntries = 500;
/// Each template once.
constexpr std::size_t kMoreSecrets = 448;
constexpr std::size_t kMoreHarmless = 310;

std::string_view embedded_corpus(std::string_view name) {
  for (const EmbeddedFile& file : corpus_files()) {
    if (file.name == name) return file.bytes;
  }
  return {};
}

/// Entries that are not shown as they should be: how many, by place, and how many held out.
struct Tally {
  std::size_t wrong = 0;
  std::size_t wrong_held_out = 0;
  std::map<std::string, std::size_t> by_place;
  std::string examples;  ///< Of those that are not held out.

  void add(const CorpusEntry& entry, const std::string& text) {
    ++wrong;
    ++by_place[entry.place];
    if (entry.is_held_out) ++wrong_held_out;
    // Whoever looks at what is held out to mend the rules has no measure any more.
    if (entry.is_held_out) return;
    examples += fmt::format("{} {}: {}\n   {}\n", entry.place, entry.detail, entry.text, text);
  }
  void print(std::size_t entries, const char* what) const {
    fmt::print("corpus: {} of {} {}, {} of them in the half held out\n", wrong, entries, what,
               wrong_held_out);
    for (const auto& [place, count] : by_place) fmt::print("corpus:   {} {}\n", count, place);
    if (std::getenv("FILECALL_CORPUS_EXAMPLES") != nullptr) fmt::print("{}", examples);
  }
};

Tally visible_secrets(const char* corpus, std::size_t count) {
  Tally visible;
  for (const CorpusEntry& entry : Corpus(embedded_corpus(corpus)).entries(count)) {
    EXPECT_NE(entry.secret, "") << entry.text;
    EXPECT_TRUE(is_visible(entry.text, entry.secret) || entry.place == "args" ||
                entry.place == "spec")
        << entry.text;
    const Shown out = shown_entry(entry);
    if (is_visible(out.text, entry.secret)) visible.add(entry, out.text);
  }
  visible.print(count, "secrets are visible");
  return visible;
}

Tally masked_texts(const char* corpus, std::size_t count) {
  Tally masked;
  for (const CorpusEntry& entry : Corpus(embedded_corpus(corpus)).entries(count)) {
    const Shown out = shown_entry(entry);
    if (out.is_changed) masked.add(entry, out.text);
  }
  masked.print(count, "harmless texts are masked");
  return masked;
}

TEST(RedactionCorpus, HidesThePlantedSecrets) {
  const Tally visible = visible_secrets("secrets.txt", kEntries);
  EXPECT_LE(visible.wrong, 5u) << visible.examples;
}

TEST(RedactionCorpus, LeavesTheHarmlessAlone) {
  const Tally masked = masked_texts("harmless.txt", kEntries);
  EXPECT_LE(masked.wrong, kEntries / 20) << masked.examples;
}

TEST(RedactionCorpus, HidesTheSecretsOfAnotherHand) {
  const Tally visible = visible_secrets("more_secrets.txt", kMoreSecrets);
  EXPECT_LE(visible.wrong, kMoreSecrets / 50) << visible.examples;
}

TEST(RedactionCorpus, LeavesTheHarmlessOfAnotherHandAlone) {
  const Tally masked = masked_texts("more_harmless.txt", kMoreHarmless);
  EXPECT_LE(masked.wrong, kMoreHarmless / 20) << masked.examples;
}

std::string shown_file(const std::string& text) {
  return shown_entry({"file", "settings.json", text, "", false}).text;
}

TEST(RedactionCorpus, HidesOnlyTheValuesOfAFileInJson) {
  const std::string text = shown_file(R"({"app": {"user": "app", "pass": "app"}, "port": "1"})");
  EXPECT_NE(text.find(R"({"app": {"user": "[redacted)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("port": "1")"), std::string::npos) << text;
}

TEST(RedactionCorpus, HidesAFileInJsonWhoseValuesAreWrittenInAnotherWay) {
  EXPECT_EQ(shown_file(R"({"db": {"pass": "hunter2\u0021x"}})").find("hunter2"), std::string::npos);
  EXPECT_EQ(shown_file(R"({"kind": "Secret", "data": {"k": "aHVudGVyMg=="}})").find("aHVu"),
            std::string::npos);
}

struct PlainCase {
  const char* place;
  const char* detail;
  const char* text;
  const char* secret;  ///< Empty: all of it is shown.
};
constexpr char kFirebaseKey[] =
    "AAAAk3yT_9w:APA91bH7x0pQ2mVnLrT4cZs8dJ1fK6uWbYgE5hNaMoXiRqCvUtPyDzSlGjBwOe3I7kF9";
const PlainCase kPlainCases[] = {
    {"env", "", "FIREBASE_SERVER_KEY=AAAAk3yT_9w:APA91bH7x0pQ2mVnLrT4cZs8dJ1fK6uWbYgE5hNaMoXiRqCv",
     "APA91bH7x0pQ2mVnLrT4cZs8dJ1fK6uWbYgE5hNaMoXiRqCv"},
    {"log", "", "401 of fcm for AAAAk3yT_9w:APA91bH7x0pQ2mVnLrT4cZs8dJ1fK6uWbYgE5hNaMoXiRqCv.",
     "APA91bH7x0pQ2mVnLrT4cZs8dJ1fK6uWbYgE5hNaMoXiRqCv"},
    {"env", "",
     "SSH_KEY=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4bH7x0pQ2mVnLrT4cZs8dJ1fK6uWbYgE5hNaMo", ""},
    {"env", "", "IMAGE_TAG=AAAA:1.2.3", ""},
    {"env", "", "PGPASSFILE_CONTENT=db:5432:shop:app:winter-horses", "winter-horses"},
    {"env", "", "PG_LINE=*:*:*:app:winter-horses", "winter-horses"},
    {"env", "", "PG_LINE=db.shop:5999:shop:app:Tr0ub4dor", "Tr0ub4dor"},
    {"env", "", "ADVERTISED=broker:9092:orders:billing:first", ""},
    {"env", "", "ADDRESS=2001:4860:4860::8888", ""},
    {"env", "", "HARDWARE=00:11:22:33:44:55", ""},
    {"env", "", "DURATIONS=10:20:30:40:50", ""},
    {"env", "", "ROLE=arn:aws:iam:eu:role", ""},
    {"env", "", "SNMP_COMMUNITY=hunterslodge", "hunterslodge"},
    {"env", "", "SNMP_COMMUNITY=public", ""},
    {"env", "", "COMMUNITY=kubernetes", ""},
    {"env", "", "SNMP_COMMUNITY_FILE=/etc/snmp/community", ""},
    {"spec", "", R"({"snmpCommunity": "hunterslodge"})", "hunterslodge"},
    {"spec", "", R"({"auths": {"v2": {"community": "r0-hunters"}}})", "r0-hunters"},
    {"spec", "", R"({"community": "sig-network", "communityUrl": "https://community.example/x1"})",
     ""},
    {"file", "snmpd.conf", "sysLocation here\nrocommunity hunterslodge default\n", "hunterslodge"},
    {"file", "snmpd.conf", "com2sec readonly default hunterslodge\nview all included .1\n",
     "hunterslodge"},
    {"file", "snmpd.conf", "rocommunity public default\nsysContact ops\n", ""},
    {"file", "values.yaml", "users:\n  alice: Tr0ub4dor\n  bob: {role: admin}\n", "Tr0ub4dor"},
    {"file", "values.yaml", "basicAuthUsers:\n  # of the gate\n  alice: \"winter-horses-42\"\n",
     "winter-horses-42"},
    {"spec", "", R"({"users": {"alice": "Tr0ub4dor", "bob": "admin"}})", "Tr0ub4dor"},
    {"spec", "",
     R"({"users": {"alice": "admin", "bob": "bob.b@shop.example", "carol": "read-write",
         "dan": "3f2a8c1e-1b2c-4d3e-a4f5-0123456789ab", "image": "r.example/users:1.2",
         "version": "v1.28.3", "host": "users-01.shop.example", "max": "10"}})",
     ""},
    {"file", "values.yaml",
     "users:\n  alice: developers\n  bob: viewer\nimage: r.example/a:v1.2\nbuild: a1b2c3d4\n", ""},
    {"file", "values.yaml", "users:\n  alice:\n    shell: /bin/bash5\n    team: red7team\n", ""},
    {"file", "kubeconfig", "users:\n- name: admin1x\n  user:\n    tokenFile: /var/run/t0ken\n", ""},
};

TEST(RedactionCorpus, KnowsCredentialsThatNoNameTells) {
  for (const PlainCase& row : kPlainCases) {
    const Shown out = shown_entry({row.place, row.detail, row.text, row.secret, false});
    if (*row.secret == '\0') {
      EXPECT_FALSE(out.is_changed) << row.text << "\n" << out.text;
    } else {
      EXPECT_EQ(out.text.find(row.secret), std::string::npos) << row.text << "\n" << out.text;
    }
  }
  const std::string whole = std::string("key: ") + kFirebaseKey;
  EXPECT_EQ(shown_file(whole).find("AAAAk3yT"), std::string::npos);
}

}  // namespace
}  // namespace filecall::worker::kube
