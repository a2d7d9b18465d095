// gram_for_libsvm SETS OUT.txt: the pyramid match between all .npy sets of a folder, as a file that
// LIBSVM trains on (svm-train -t 4), and the two most similar sets.
#include <muster/muster.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 3) throw muster::Error(muster::ErrorKind::kUsage, "give a folder and a file");
  const std::vector<std::filesystem::path> sets = muster::list_sets(argv[1]);
  const std::string recipe = "pmk:pyramids=3/normalise";
  muster::write_gram(argv[2], recipe, sets);

  const muster::KernelMatrix kernel = muster::gram(recipe, sets);
  size_t a = 0, b = 0;
  for (size_t i = 0; i < kernel.rows; ++i)
    for (size_t j = 0; j < i; ++j)
      if (a == b || kernel(i, j) > kernel(a, b)) a = i, b = j;
  std::cout << sets[b].filename() << " and " << sets[a].filename() << " are most alike\n";
} catch (const muster::Error& error) {
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.kind());
}
