// Learns from sets of vectors in the program's own memory; here points around two centres.
#include <muster/muster.h>

#include <iostream>
#include <random>

int main() {
  std::mt19937 random(1);
  std::vector<std::vector<float>> points;  // a set each: 20 points in the plane, x and y in turn
  std::vector<muster::SetView> sets;
  std::vector<std::string> labels;
  for (int i = 0; i < 60; ++i) {
    std::normal_distribution<float> around(i % 2 == 0 ? -1.0F : 1.0F, 1.0F);
    std::vector<float>& own = points.emplace_back(40);
    for (float& value : own) value = around(random);
    sets.push_back({.vectors = own.data(), .rows = 20, .dim = 2});
    labels.push_back(i % 2 == 0 ? "left" : "right");
  }
  const auto known = std::span(sets).first(40), unknown = std::span(sets).last(20);
  const muster::Model model =
      muster::train(known, std::span(labels).first(40), {.recipe = "bow:words=16/linear-svm"});
  int right = 0;
  const std::vector<muster::Answer> answers = model.predict(unknown);
  for (size_t i = 0; i < answers.size(); ++i) right += answers[i]->label() == labels[40 + i];
  std::cout << right << " of " << answers.size() << " right\n";
}
