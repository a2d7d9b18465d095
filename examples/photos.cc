// photos FOLDER PICTURE: learns from one folder of photos per class, then names the picture.
#include <muster/muster.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 3) throw muster::Error(muster::ErrorKind::kUsage, "usage: photos FOLDER PICTURE");
  const muster::Model model = muster::train(argv[1], {.method = "emk-fourier"});
  for (const muster::LeftOut& item : model.report().left_out)
    std::cerr << "left out: " << item.reason << '\n';
  model.save("photos.muster");

  const muster::Model again = muster::load("photos.muster");
  for (const auto& [name, probability] : again.predict(argv[2]).top(3))
    std::cout << name << ' ' << probability << '\n';
} catch (const muster::Error& error) {
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.kind());
}
