#include <gtest/gtest.h>

#include <cmath>

#include "muster/dataset/dataset.h"
#include "muster/store/npy.h"
#include "muster/store/npz.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {
using testing::ElementsAre;

TEST(VectorSets, LoadsNpyWithPlaces) {
  const TempDir dir;
  Matrix<double> vectors(2, 4);
  vectors(1, 3) = 0.5;
  write_npy(dir / "a.npy", vectors);
  EXPECT_FALSE(load_vector_set(dir / "a.npy").has_places());
  Matrix<float> places(2, 2);
  places(1, 0) = 0.25f;
  write_npy(dir / "a.places.npy", places);
  const VectorSet set = load_vector_set(dir / "a.npy");
  EXPECT_EQ(set.vectors(1, 3), 0.5f);
  ASSERT_TRUE(set.has_places());
  EXPECT_EQ(set.places(1, 0), 0.25f);
  EXPECT_EQ(set.places(1, 2), 0.0f);
}

TEST(VectorSets, LoadsNpzWithPlaces) {
  const TempDir dir;
  Matrix<float> vectors(2, 4), places(2, 3);
  places(0, 2) = 1;
  write_npz(dir / "a.npz",
            {{"places", npy_bytes<float>(places)}, {"x", npy_bytes<float>(vectors)}});
  const VectorSet set = load_vector_set(dir / "a.npz");
  EXPECT_EQ(set.vectors, vectors);
  EXPECT_EQ(set.places, places);
  write_npz(dir / "b.npz", {{"places", npy_bytes<float>(places)}});
  EXPECT_ERROR(load_vector_set(dir / "b.npz"), kData, "no array of vectors");
}

TEST(VectorSets, BadSetsAreRefused) {
  const TempDir dir;
  Matrix<float> bad(1, 2);
  bad(0, 1) = std::nanf("");
  write_npy(dir / "nan.npy", bad);
  EXPECT_ERROR(load_vector_set(dir / "nan.npy"), kData, "NaN");
  write_npy(dir / "wide.npy", Matrix<float>(3, 0));
  EXPECT_ERROR(load_vector_set(dir / "wide.npy"), kData, "no components");
  EXPECT_ERROR(load_vector_set(dir.put("text.npy", "hello")), kData, "not a NumPy array");
  EXPECT_ERROR(load_vector_set(dir.put("a.jpg")), kData, "not a vector set");
  write_npy(dir / "p.npy", Matrix<float>(3, 2));
  write_npy(dir / "p.places.npy", Matrix<float>(2, 2));
  EXPECT_ERROR(load_vector_set(dir / "p.npy"), kData, "expected 3 x 2");
  Matrix<float> outside(3, 2);
  outside(2, 1) = 1.5f;
  write_npy(dir / "p.places.npy", outside);
  EXPECT_ERROR(load_vector_set(dir / "p.npy"), kData, "place 2 holds 1.5");
}

TEST(VectorSets, AFolderOfSetsIsListedInOrder) {
  const TempDir dir;
  EXPECT_ERROR(set_files(dir.path()), kData, "holds no .npy");
  for (const char* file :
       {"10.npy", "2.npy", "2.places.npy", "a.npz", "x.txt", ".b.npy", "sub.npy/1.npy"})
    dir.put(file);
  EXPECT_THAT(set_files(dir.path()), ElementsAre(dir / "10.npy", dir / "2.npy", dir / "a.npz"));
  EXPECT_ERROR(set_files(dir / "none"), kData, "does not exist");
}

}  // namespace
}  // namespace muster
