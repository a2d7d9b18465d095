#include "muster/store/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {

// As NumPy would write it.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                bool fortran = false, int version = 1) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr,
                                   fortran ? "True" : "False", shape);
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  const auto length = static_cast<uint32_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return out + header + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T = float>
Matrix<T> parse(const std::string& file) {
  return npy_to_matrix<T>(parse_npy(std::as_bytes(std::span(file)), "test.npy"), "test.npy");
}

template <class T>
void expect_type_reads(const std::string& descr) {
  for (int version : {1, 2, 3}) {
    const Matrix<double> m = parse<double>(
        npy(descr, "(2, 3)", raw(std::vector<T>{1, 2, 3, 4, 5, 100}), false, version));
    EXPECT_EQ(m.rows(), 2u);
    EXPECT_EQ(m(1, 0), 4);
    EXPECT_EQ(m(1, 2), 100) << descr;
  }
}

TEST(Npy, ReadsEveryAllowedType) {
  expect_type_reads<float>("<f4");
  expect_type_reads<double>("<f8");
  expect_type_reads<int8_t>("|i1");
  expect_type_reads<int16_t>("<i2");
  expect_type_reads<int32_t>("<i4");
  expect_type_reads<int64_t>("<i8");
  expect_type_reads<uint8_t>("|u1");
  expect_type_reads<uint16_t>("<u2");
  expect_type_reads<uint32_t>("<u4");
  expect_type_reads<uint64_t>("<u8");
  EXPECT_EQ(parse(npy("|b1", "(1, 2)", std::string("\1\0", 2)))(0, 0), 1);
  EXPECT_EQ(parse(npy("<f2", "(1, 2)", raw(std::vector<uint16_t>{0x3C00, 0xC000})))(0, 1), -2);
}

TEST(Npy, FortranOrderIsTurnedIntoRows) {
  const Matrix<float> m =
      parse(npy("<f4", "(2, 3)", raw(std::vector<float>{1, 4, 2, 5, 3, 6}), true));
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(m.values()[i], static_cast<float>(i + 1));
}

TEST(Npy, ASetOfNoVectorsKeepsItsWidth) {
  const Matrix<float> m = parse(npy("<f4", "(0, 128)", ""));
  EXPECT_EQ(m.rows(), 0u);
  EXPECT_EQ(m.cols(), 128u);
}

template <class T>
void round_trip(const std::vector<T>& values, size_t cols) {
  Matrix<T> m(values.size() / cols, cols);
  for (size_t i = 0; i < m.size(); ++i) m.values()[i] = std::isfinite(values[i]) ? values[i] : T(0);
  const TempDir dir;
  write_npy(dir / "a.npy", m);
  RC_ASSERT(read_npy<T>(dir / "a.npy") == m);
}
RC_GTEST_PROP(Npy, FloatsComeBackExactly, (const std::vector<float>& values)) {
  round_trip(values, *rc::gen::inRange<size_t>(1, 9));
}
RC_GTEST_PROP(Npy, DoublesComeBackExactly, (const std::vector<double>& values)) {
  round_trip(values, *rc::gen::inRange<size_t>(1, 9));
}

TEST(Npy, BlocksInAnyOrderMakeTheWholeFile) {
  const TempDir dir;
  const std::filesystem::path whole = dir.path() / "whole.npy", blocks = dir.path() / "blocks.npy";
  Matrix<double> values(70, 70);
  for (size_t i = 0; i < 70; ++i)
    for (size_t j = 0; j < 70; ++j) values(i, j) = static_cast<double>(i * j);
  write_npy(whole, values);
  NpyBlockFile file(blocks, 70, 70);
  EXPECT_TRUE(file.takes_any_order());
  const MatrixView<const double> view = std::as_const(values).view();
  const MatrixView<const double> right(view.data + 67, 67, 3, view.stride);
  file.write(67, 67, MatrixView<const double>(&view(67, 67), 3, 3, view.stride));
  file.write(0, 67, right);
  file.write_transposed(67, 0, right);
  file.write(0, 0, MatrixView<const double>(view.data, 67, 67, view.stride));
  EXPECT_FALSE(std::filesystem::exists(blocks));
  file.commit();
  EXPECT_TRUE(
      std::ranges::equal(read_npy<double>(whole).values(), read_npy<double>(blocks).values()));
}

TEST(Npy, DataStartsAligned) {
  Matrix<int64_t> m(2, 2);
  EXPECT_EQ((npy_bytes(std::as_const(m).view()).size() - 32) % 64, 0u);
}

TEST(Npy, ViewsWithAStrideAreWrittenPacked) {
  Matrix<float> m(2, 4);
  m(1, 1) = 7;
  const TempDir dir;
  write_npy(dir / "a.npy", MatrixView<const float>(m.data(), 2, 2, 4));
  EXPECT_EQ(read_npy<float>(dir / "a.npy")(1, 1), 7);
}

TEST(Npy, ValuesThatAreNoNumbersAreNamed) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_ERROR(parse(npy("<f4", "(2, 2)", raw(std::vector<float>{1, 2, 3, nan}))), kData,
               "row 1, column 1 (counted from 0) is NaN");
  EXPECT_ERROR(parse(npy("<f4", "(2, 2)", raw(std::vector<float>{1, -inf, 3, 4}))), kData,
               "row 0, column 1");
  EXPECT_ERROR(parse(npy("<f8", "(1, 1)", raw(std::vector<double>{1e300}))), kData, "too large");
  EXPECT_EQ(parse<double>(npy("<f8", "(1, 1)", raw(std::vector<double>{1e300})))(0, 0), 1e300);
}

TEST(Npy, OtherShapesAreRefusedWithAdvice) {
  EXPECT_ERROR(parse(npy("<f4", "(3,)", raw(std::vector<float>(3)))), kData, "reshape(1, -1)");
  EXPECT_ERROR(parse(npy("<f4", "()", raw(std::vector<float>(1)))), kData, "a single number");
  EXPECT_ERROR(parse(npy("<f4", "(1, 1, 2)", raw(std::vector<float>(2)))), kData, "1 x 1 x 2");
}

TEST(Npy, OtherTypesAreRefused) {
  for (const char* descr : {">f4", "<c8", "|O", "<U3", "<f16", "|f4", "f4", "<i3", ""})
    EXPECT_ERROR(parse(npy(descr, "(1, 1)", "1234")), kData, "save it as float32");
}

TEST(Npy, HugeShapesAreRefusedBeforeAllocation) {
  EXPECT_ERROR(parse(npy("<f4", "(1000000000, 1000000)", "1234")), kData, "needs");
  EXPECT_ERROR(parse(npy("<f4", "(4294967296, 4294967296)", "1234")), kData, "impossible");
  EXPECT_ERROR(parse(npy("<f4", "(0, 99999999999999)", "")), kData, "impossible");
  EXPECT_ERROR(parse(npy("<f4", "(2147483648, 0)", "")), kData, "impossible");
  EXPECT_ERROR(parse(npy("<f4", "(99999999999999999999, 1)", "")), kData, "malformed");
}

TEST(Npy, MalformedHeadersAreRefused) {
  for (const char* header :
       {"", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr: '<f4', 'fortran_order': False, 'shape': (1, 1)}"}) {
    std::string file = "\x93NUMPY\1";
    file += '\0';
    file += static_cast<char>(std::string(header).size());
    file += '\0';
    EXPECT_ERROR(parse(file + header + "1234"), kData, "malformed");
  }
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string file = npy("<f4", "(2, 2)", raw(std::vector<float>(4)));
  for (size_t n = 0; n < file.size(); ++n)
    EXPECT_ERROR(parse(file.substr(0, n)), kData, "test.npy");
  EXPECT_ERROR(parse(file + "x"), kData, "needs 16 bytes");
}

}  // namespace
}  // namespace muster
