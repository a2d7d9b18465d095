#include "muster/store/npz.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>

#include "muster/store/npy.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {

Matrix<float> table(size_t rows, size_t cols, float first = 0) {
  Matrix<float> m(rows, cols);
  for (size_t i = 0; i < m.size(); ++i) m.values()[i] = first + static_cast<float>(i);
  return m;
}

std::vector<NpzMember> members_of(const std::string& file) {
  return parse_npz(std::as_bytes(std::span(file)), "test.npz");
}

void read_all(const std::string& file) {
  for (const NpzMember& member : members_of(file)) npz_to_matrix<float>(member, "test.npz");
}

std::string small_file(const TempDir& dir) {
  write_npz(dir / "a.npz", {{"vectors", npy_bytes<float>(table(3, 2))},
                            {"places", npy_bytes<float>(table(3, 3, 9))}});
  return read_whole_file(dir / "a.npz");
}

// The same archive with its only member deflated, as numpy.savez_compressed does.
std::string deflated_file(const std::vector<std::byte>& npy) {
  std::string packed(2 * npy.size() + 100, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(npy.data()));
  stream.avail_in = static_cast<uInt>(npy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const TempDir dir;
  write_npz(dir / "a.npz", {{"x", npy}});
  std::string file = read_whole_file(dir / "a.npz");
  file.replace(30 + 5, npy.size(), packed);
  const size_t central = 35 + packed.size();
  const auto put32 = [&](size_t at, size_t value) {
    const auto small = static_cast<uint32_t>(value);
    std::memcpy(file.data() + at, &small, 4);
  };
  file[8] = file[central + 10] = 8;
  put32(18, packed.size());
  put32(central + 20, packed.size());
  put32(file.size() - 6, central);
  return file;
}

TEST(Npz, ReadsBackWhatWasWritten) {
  const TempDir dir;
  const std::string file = small_file(dir);
  const std::vector<NpzMember> members = members_of(file);
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].name, "vectors");
  EXPECT_EQ(npz_to_matrix<float>(members[0], "a"), table(3, 2));
  EXPECT_EQ(npz_to_matrix<float>(members[1], "a"), table(3, 3, 9));
  EXPECT_EQ(file, small_file(dir));
}

TEST(Npz, ReadsDeflatedMembers) {
  const std::string file = deflated_file(npy_bytes<float>(table(50, 8)));
  const auto members = members_of(file);
  ASSERT_TRUE(members.at(0).deflated);
  EXPECT_EQ(npz_to_matrix<float>(members[0], "a"), table(50, 8));
}

RC_GTEST_PROP(Npz, RoundTrip, (std::vector<std::vector<double>> rows)) {
  NpzArrays arrays;
  std::vector<Matrix<double>> expected;
  for (auto& row : rows) {
    Matrix<double> m(1, row.size());
    for (size_t i = 0; i < row.size(); ++i) m(0, i) = std::isfinite(row[i]) ? row[i] : 0;
    arrays.emplace_back(fmt::format("m{}", arrays.size()), npy_bytes<double>(m));
    expected.push_back(m);
  }
  RC_PRE(!arrays.empty());
  const TempDir dir;
  write_npz(dir / "a.npz", arrays);
  const std::string file = read_whole_file(dir / "a.npz");
  const auto members = members_of(file);
  RC_ASSERT(members.size() == expected.size());
  for (size_t i = 0; i < members.size(); ++i)
    RC_ASSERT(npz_to_matrix<double>(members[i], "a") == expected[i]);
}

TEST(Npz, EveryTruncationIsRefused) {
  const TempDir dir;
  for (const std::string& file : {small_file(dir), deflated_file(npy_bytes<float>(table(5, 4)))})
    for (size_t n = 0; n < file.size(); ++n)
      EXPECT_ERROR(read_all(file.substr(0, n)), kData, "test.npz");
}

TEST(Npz, AFlippedBitIsRefusedOrHarmless) {
  const Matrix<float> expected = table(5, 4);
  std::string file = deflated_file(npy_bytes<float>(expected));
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] ^= static_cast<char>(1 << bit % 8);
    try {
      for (const NpzMember& member : members_of(file))
        EXPECT_EQ(npz_to_matrix<float>(member, "a"), expected) << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
    }
    file[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
}

TEST(Npz, AnArchiveThatClaimsTooMuchIsRefusedBeforeAllocation) {
  std::string file = deflated_file(npy_bytes<float>(table(5, 4)));
  const size_t central = file.rfind("PK\1\2");
  file.replace(central + 24, 4, "\xfe\xff\xff\xff");
  EXPECT_ERROR(members_of(file), kData, "impossible");
}

TEST(Npz, OtherFilesAreRefused) {
  EXPECT_ERROR(members_of(""), kData, "too short");
  EXPECT_ERROR(members_of(std::string(100, 'x')), kData, "not a zip archive");
  const TempDir dir;
  write_npz(dir / "empty.npz", {});
  EXPECT_ERROR(members_of(read_whole_file(dir / "empty.npz")), kData, "no arrays");
}

TEST(Npz, ASmallArchiveMustNotBecomeALargeArray) {
  const std::string file = deflated_file(npy_bytes<float>(Matrix<float>(5'000'000, 1)));
  EXPECT_LT(file.size(), 50'000u);
  EXPECT_ERROR(members_of(file), kData, "more than fiftyfold");
  EXPECT_EQ(members_of(deflated_file(npy_bytes<float>(Matrix<float>(100'000, 1)))).size(), 1u);
}

}  // namespace
}  // namespace muster
