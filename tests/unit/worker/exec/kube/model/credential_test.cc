// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "base/take_until.h"
#include "worker/exec/kube/model/credential_assignments.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/credential_values.h"
#include "worker/exec/kube/model/digest.h"

namespace filecall::worker::kube {
namespace {

std::string values_masked(std::string_view text) {
  std::vector<TextSpan> spans;
  find_credential_values(text, spans);
  return mask_spans(text, std::move(spans));
}

std::string assignments_masked(std::string_view text, Assignments kind = Assignments::kSettings) {
  std::vector<TextSpan> spans;
  find_credential_assignments(text, kind, spans);
  return mask_spans(text, std::move(spans));
}

TEST(CredentialName, IsToldByItsWords) {
  for (const char* name : {"PASSWORD",
                           "DB_PASSWORD",
                           "db.password",
                           "mysqlpassword",
                           "clientSecret",
                           "API_KEY",
                           "apiKey",
                           "api-key",
                           "AWS_SECRET_ACCESS_KEY",
                           "GITHUB_TOKEN",
                           "--token",
                           "privateKey",
                           "connectionString",
                           "DATABASE_DSN",
                           "AUTH",
                           "Authorization",
                           "mysecret",
                           "VAULT_SECRET_ID",
                           "API_TOKEN2",
                           "pwd1",
                           "creds3",
                           "jwt2",
                           "accesstoken",
                           "githubtoken",
                           "dbpwd",
                           "ADMINPW",
                           "sshprivkey",
                           "DB_PASSWORT",
                           "passkey",
                           "OCP_APIM_SUBSCRIPTION_KEY",
                           "basicauth"}) {
    EXPECT_TRUE(is_credential_name(name, NamePlace::kVariable)) << name;
  }
  for (const char* name : {"clientsecret", "token2", "accesstoken", "dbpwd", "webhooksecret"}) {
    EXPECT_TRUE(is_credential_name(name, NamePlace::kMember)) << name;
  }
}

TEST(CredentialName, IsNotAReferenceASettingOrAnotherWord) {
  for (const char* name :
       {"PASSWORD_FILE", "SECRET_NAME", "tokenUrl", "AUTH_ENABLED", "AUTHOR", "AWS_ACCESS_KEY_ID",
        "TOKEN_EXPIRATION_SECONDS", "keyboard", "MONKEY", "PATH", "key", "topologyKey",
        "credentialName", "compass", "OLDPWD", "PASSWORD_FILE2", "oauth2", "sha256", ""}) {
    EXPECT_FALSE(is_credential_name(name, NamePlace::kVariable)) << name;
  }
}

TEST(CredentialName, DependsOnWhereItStands) {
  EXPECT_TRUE(is_credential_name("auth", NamePlace::kVariable));
  EXPECT_FALSE(is_credential_name("auth", NamePlace::kMember));
  EXPECT_FALSE(is_credential_name("imagePullSecret", NamePlace::kMember));
  EXPECT_FALSE(
      is_credential_name("nginx.ingress.kubernetes.io/auth-secret", NamePlace::kAnnotation));
  EXPECT_TRUE(is_credential_name("example.com/password", NamePlace::kAnnotation));
}

/// Words that make a credential's name, alone or together, and words that do not.
constexpr std::string_view kWords =
    "password passwords passwd pwd passphrase token tokens credential credentials creds apikey "
    "apikeys accesskey secretkey privatekey connectionstring connstr authorization cookie secret "
    "secrets auth dsn pass jwt bearer api access private account storage encryption signing "
    "master session connection conn key keys string str id pull name url namespace image x 7 é";

TEST(CredentialName, IsTheSameWithoutTheFirstLook) {
  std::vector<std::string> words;
  for (std::string_view rest = kWords; !rest.empty();) words.emplace_back(take_until(&rest, ' '));
  const std::vector<std::string> between = {"", "_", "-", ".", "/", "@", "`", "1", "\xc3"};
  Random random(3);
  int found = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string name;
    for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
      std::string word = words[random.below(words.size())];
      const std::uint64_t capitals = random.below(3);  // None, the first, all.
      for (std::size_t i = 0; i < (capitals == 1 ? 1 : capitals == 2 ? word.size() : 0); ++i) {
        if (word[i] >= 'a' && word[i] <= 'z') word[i] = static_cast<char>(word[i] - 'a' + 'A');
      }
      name += word + between[random.below(between.size())];
    }
    for (const NamePlace place :
         {NamePlace::kVariable, NamePlace::kMember, NamePlace::kAnnotation}) {
      const bool is_credential = is_credential_by_words(name, place);
      found += is_credential ? 1 : 0;
      ASSERT_EQ(is_credential_name(name, place), is_credential) << name;
    }
  }
  EXPECT_GT(found, 50'000);
}

TEST(CredentialValue, IsFoundByItsLooks) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"key AKIAIOSFODNN7EXAMPLE used", "key [redacted] used"},
      {"ghp_0123456789abcdefghij!", "[redacted]!"},
      {"sk-proj-0123456789abcdef", "[redacted]"},
      {"a eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl b", "a [redacted] b"},
      {"postgres://app:hunter2@db:5432/x", "postgres://app:[redacted]@db:5432/x"},
      {"https://tokenonly@git.example.com/", "https://[redacted]@git.example.com/"},
      {"Authorization: Bearer abc\nnext", "Authorization: [redacted]\nnext"},
      {"sent Bearer abcdef0123456789", "sent Bearer [redacted]"},
      {"AccountKey=abc123==;End", "AccountKey=[redacted];End"},
      {"client-key-data: TFMwdExTMUNSVWRKVGk1", "client-key-data: [redacted]"},
      {"x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y", "x [redacted] y"},
      {"-----BEGIN PRIVATE KEY-----\ncut sh", "[redacted]"}};
  for (const auto& [text, masked] : cases) EXPECT_EQ(values_masked(text), masked);
}

TEST(CredentialValue, IsAKeyWhoseFirstLinesWereNotRead) {
  const std::string line = "MIIEowIBAAKCAQEA" + std::string(48, 'x') + "\n";
  const std::string end = "-----END RSA PRIVATE KEY-----\nready\n";
  EXPECT_EQ(values_masked(line + line + "abc=\n" + end), "[redacted]" + end);
  EXPECT_EQ(values_masked("started\n" + line + "abc=\n" + end), "started\n[redacted]" + end);
  // With a time before each line, and behind a whole key.
  const std::string time = "2026-01-02T03:04:05Z ";
  EXPECT_EQ(values_masked(time + line + time + "abc=\n" + time + end), "[redacted]" + time + end);
  const std::string whole = "-----BEGIN PRIVATE KEY-----\n" + line + "-----END PRIVATE KEY-----\n";
  EXPECT_EQ(values_masked(whole + line + line + end), "[redacted]\n[redacted]" + end);
  const std::string public_end = "-----END CERTIFICATE-----\n";
  EXPECT_EQ(values_masked(line + public_end), line + public_end);
}

TEST(CredentialValue, LeavesSentencesNamesAndCertificatesAlone) {
  for (const char* text :
       {"Basic authentication failed", "task-scheduler-with-a-long-name-1",
        "sk-learn-classifier-pod", "http://svc.ns.svc.cluster.local:8080/path?to=a@b",
        "token: expired", "error: 404",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"}) {
    EXPECT_EQ(values_masked(text), text);
  }
}

TEST(CredentialValue, IsTheSignatureOfAnAddress) {
  EXPECT_EQ(values_masked("https://x/y?sv=2022-11-02&sig=abcDEF0123456789%2Bgh%3D&se=2026"),
            "https://x/y?sv=2022-11-02&sig=[redacted]&se=2026");
  EXPECT_EQ(values_masked("/a?X-Amz-Signature=0123456789abcdef0123456789abcdef"),
            "/a?X-Amz-Signature=[redacted]");
  for (const char* text : {"/a?sig=v4&x=1", "sig=abcDEF0123456789abcdef01", "?signal=0123456789"}) {
    EXPECT_EQ(values_masked(text), text);
  }
}

std::string lines_masked(std::string_view text) {
  std::vector<TextSpan> spans;
  find_credential_lines(text, spans);
  return mask_spans(text, std::move(spans));
}

TEST(CredentialLines, HidesTheValueBesideACredentialsName) {
  EXPECT_EQ(lines_masked("env:\n  - name: DB_PASSWORD\n    value: hunter2\n  - name: PORT\n"
                         "    value: 1\n"),
            "env:\n  - name: DB_PASSWORD\n    value: [redacted]\n  - name: PORT\n    value: 1\n");
  EXPECT_EQ(lines_masked("- value: \"hunter2\"\n  name: DB_PASSWORD\n- value: x\n"),
            "- value: \"[redacted]\"\n  name: DB_PASSWORD\n- value: x\n");
  EXPECT_EQ(lines_masked("- name: API_TOKEN\n  value: |\n    abc\n- name: x\n"),
            "- name: API_TOKEN\n  value: |\n    [redacted]\n- name: x\n");
  // Of another object.
  const char* text = "- name: DB_PASSWORD\n  valueFrom:\n    key: a\n- value: b\nvalue: c\n";
  EXPECT_EQ(lines_masked(text), text);
}

TEST(CredentialLines, HidesElementsDefaultsAndDirectives) {
  EXPECT_EQ(lines_masked("<name>fs.s3a.secret.key</name>\n<value> abc1 </value>"),
            "<name>fs.s3a.secret.key</name>\n<value> [redacted] </value>");
  EXPECT_EQ(
      lines_masked("<key>password</key><string>abc</string><key>port</key><string>1</string>"),
      "<key>password</key><string>[redacted]</string><key>port</key><string>1</string>");
  EXPECT_EQ(lines_masked("variable \"db_password\" {\n  default = \"hunter2\"\n}\n"),
            "variable \"db_password\" {\n  default = \"[redacted]\"\n}\n");
  EXPECT_EQ(lines_masked("port 26379\nsentinel auth-pass mymaster hunter2\n"),
            "port 26379\nsentinel auth-pass mymaster [redacted]\n");
}

TEST(CredentialFlags, AreThoseOfACredentialsNameOfAnyProgram) {
  const auto masked = [](std::string_view text) {
    std::vector<TextSpan> spans;
    find_credential_flags(text, spans);
    return mask_spans(text, std::move(spans));
  };
  EXPECT_EQ(masked("rclone --s3-secret-access-key abc123 ls"),
            "rclone --s3-secret-access-key [redacted] ls");
  EXPECT_EQ(masked("vault login abcDEF123"), "vault login [redacted]");
  for (const char* text : {"run with --token TOKEN", "use --password to log in", "vault login",
                           "x --token-ttl 15m2s", "app --password-file pass1.txt"}) {
    EXPECT_EQ(masked(text), text);
  }
}

TEST(CredentialAssignment, IsFoundInSettings) {
  EXPECT_EQ(assignments_masked(R"(args: ["--token", "abc"])"),
            R"(args: ["--token", "[redacted]"])");
  for (const char* text : {"token = get_token(user)", "pattern: password=\\S+",
                           "login(password: String!)", "ALL=(ALL) NOPASSWD: ALL"}) {
    EXPECT_EQ(assignments_masked(text), text);
  }
  EXPECT_EQ(assignments_masked("user=app password=hunter2 x=1"),
            "user=app password=[redacted] x=1");
  EXPECT_EQ(assignments_masked("db.password: hunter2\nport: 1"),
            "db.password: [redacted]\nport: 1");
  EXPECT_EQ(assignments_masked(R"({"apiKey": "a\"b", "n": 1})"),
            R"({"apiKey": "[redacted]", "n": 1})");
  EXPECT_EQ(assignments_masked("define('DB_PASSWORD','hunter2')"),
            "define('DB_PASSWORD','[redacted]')");
  EXPECT_EQ(assignments_masked("requirepass\thunter2"), "requirepass\t[redacted]");
  EXPECT_EQ(assignments_masked("--token=abc --level=info"), "--token=[redacted] --level=info");
  EXPECT_EQ(assignments_masked("tokenUrl=https://x"), "tokenUrl=https://x");
}

TEST(CredentialAssignment, IsFoundInSentencesOnlyWhereItIsWrittenAsOne) {
  const auto masked = [](std::string_view text) {
    return assignments_masked(text, Assignments::kSentences);
  };
  EXPECT_EQ(masked("connect failed: user=app password=hunter2 host=db"),
            "connect failed: user=app password=[redacted] host=db");
  EXPECT_EQ(masked("GET /v1?api_key=abc&x=1"), "GET /v1?api_key=[redacted]&x=1");
  EXPECT_EQ(masked("PGPASSWORD='a b' psql"), "PGPASSWORD='[redacted]' psql");
  EXPECT_EQ(masked(R"({"level":"info","password":"hunter2"})"),
            R"({"level":"info","password":"[redacted]"})");
  EXPECT_EQ(masked("invalid token: expired at noon"), "invalid token: expired at noon");
  EXPECT_EQ(masked("password = is not set"), "password = is not set");
  EXPECT_EQ(masked("tokenUrl=https://x"), "tokenUrl=https://x");
}

TEST(CredentialGroup, IsWhatHoldsCredentialsBelowItsName) {
  for (const char* name : {"passwords", "token", "credentials", "dbPassword", "apiKeys"}) {
    EXPECT_TRUE(is_credential_group(name)) << name;
  }
  for (const char* name : {"secret", "secrets", "secretKeyRef", "imagePullSecrets", "tokenRef",
                           "passwordPolicy", "env"}) {
    EXPECT_FALSE(is_credential_group(name)) << name;
  }
  for (const char* name : {"key", "name", "valueFrom", "secretKeyRef", "encoding", "username"}) {
    EXPECT_TRUE(is_description(name)) << name;
  }
  for (const char* name : {"value", "alice", "current"}) EXPECT_FALSE(is_description(name)) << name;
}

TEST(Digest, IsThatOfTheStandardAndDependsOnItsKey) {
  DigestKey key;
  key.bytes.fill(0x0b);
  // echo -n "Hi There" | openssl dgst -sha256 -mac HMAC -macopt hexkey:0b0b... (32 bytes)
  EXPECT_EQ(keyed_digest(key, "Hi There"),
            "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7");
  DigestKey other;
  EXPECT_NE(keyed_digest(other, "Hi There"), keyed_digest(key, "Hi There"));
}

}  // namespace
}  // namespace filecall::worker::kube
