// parallel_for over the ranks of world() and their threads. As its chunks do not depend on threads,
// they do not depend on ranks: what a chunk gives is the same bytes wherever it is computed, and
// sums over chunks are made in their order, so that results are the same for any number of ranks.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// A block of a matrix, or a run of values, as bytes.
struct SharedBytes {
  std::byte* data = nullptr;
  size_t row_bytes = 0, rows = 1, stride_bytes = 0;

  size_t size() const { return row_bytes * rows; }
};
template <class T>
SharedBytes shared_bytes(std::span<T> values) {
  return {reinterpret_cast<std::byte*>(values.data()), values.size_bytes()};
}
template <class T>
SharedBytes shared_bytes(MatrixView<T> block) {
  return {reinterpret_cast<std::byte*>(block.data), block.cols * sizeof(T), block.rows,
          block.stride * sizeof(T)};
}

// Results of a loop, which the rank that computed one sends to all others: where that of index i
// is. Of the same size on all ranks, which need not be that of other indices.
using SharedRows = std::function<SharedBytes(size_t i)>;

template <class T>
SharedRows rows_of(Matrix<T>& matrix) {
  return [&matrix](size_t i) { return shared_bytes(matrix.row(i)); };
}
// One value per index, or `count` of them.
template <class T>
SharedRows rows_of(std::vector<T>& values, size_t count = 1) {
  return [&values, count](size_t i) {
    const size_t begin = i * count;
    return shared_bytes(std::span(values).subspan(begin, std::min(count, values.size() - begin)));
  };
}

// Whether loops are divided here: with several ranks, on the thread that joined them, outside of
// any loop that is divided already, over threads or ranks. All ranks get the same answer.
bool divides_here();

// Calls body(begin, end) as parallel_for does, each chunk on one rank; then every rank has all
// `rows`, one for each of the n indices. An error of one rank becomes that of all. If loops are not
// divided here, it is parallel_for.
void shared_for(size_t n, size_t grain, const std::vector<SharedRows>& rows,
                const std::function<void(size_t begin, size_t end)>& body);

// The units of a step of the progress (progress.h) that such a loop does: with a last one, to be
// ticked after the loop, for what is sent.
inline size_t units_with_sending(size_t n) { return n + (divides_here() ? 1 : 0); }

// The two halves of it, for loops of another form. Requires divides_here().

// Runs some work of this rank's own, in which nothing is divided further; what it throws is thrown
// by all ranks.
void run_own_share(const std::function<void()>& work);
// Gives everyone the rows that the ranks computed: row i is that of owner(i).
void exchange_rows(size_t n, const std::function<size_t(size_t i)>& owner,
                   const std::vector<SharedRows>& rows);

// What exchange_rows() sends, all ranks together.
uint64_t bytes_of_rows(size_t n, const std::vector<SharedRows>& rows);

// Items belong to groups, and groups to ranks, for as long as the program runs, so that an item's
// features need to be kept on one rank only, and sums over a group can be made there. More ranks
// than groups do not help.
inline constexpr size_t kItemGroups = 256;
inline size_t group_of_item(size_t item) { return item % kItemGroups; }
size_t rank_of_item(size_t item);

// The texts of all ranks, by rank; just this one if loops are not divided here.
std::vector<std::string> gather_texts(const std::string& own);

}  // namespace muster
