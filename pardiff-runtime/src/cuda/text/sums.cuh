// Threads, and sums over them. The order of every sum depends on the numbers of threads and blocks alone.
PD_FN pd_u64 pd_thread() { return (pd_u64)blockIdx.x * blockDim.x + threadIdx.x; }
PD_FN pd_u64 pd_threads() { return (pd_u64)gridDim.x * blockDim.x; }

enum pd_op { PD_ADD, PD_MIN, PD_MAX };
template <pd_op op, class T> PD_FN T pd_combine(T a, T b) {
  return op == PD_ADD ? pd_add(a, b) : op == PD_MIN ? pd_min(a, b) : pd_max(a, b);
}

// The combination of the values of all threads of a block, in its first thread. Every thread of the block calls it; the block is
// whole warps, or one thread.
template <pd_op op, class T> PD_FN T pd_of_block(T v, T neutral) {
  __shared__ pd_shared<T, 32> parts;
  if (blockDim.x == 1) return v;
  for (int by = 16; by > 0; by /= 2) v = pd_combine<op>(v, pd_shuffle_down(v, by));
  if (threadIdx.x % 32 == 0) pd_store(parts, threadIdx.x / 32, v);
  PD_BARRIER();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? pd_load(parts, threadIdx.x) : neutral;
    for (int by = 16; by > 0; by /= 2) v = pd_combine<op>(v, pd_shuffle_down(v, by));
  }
  PD_BARRIER();  // the next sum uses the same parts
  return v;
}

// The same, in every thread.
template <pd_op op, class T> PD_FN T pd_all_of_block(T v, T neutral) {
  __shared__ pd_shared<T, 1> all;
  v = pd_of_block<op>(v, neutral);
  if (threadIdx.x == 0) pd_store(all, 0, v);
  PD_BARRIER();
  v = pd_load(all, 0);
  PD_BARRIER();  // the next sum uses the same place
  return v;
}

// The combination of `count` elements, in the first thread of the block: every thread combines four series of them side by side.
template <pd_op op, class T> PD_FN T pd_of_parts(pd_input<T> parts, pd_u64 count, T neutral) {
  T v[4] = {neutral, neutral, neutral, neutral};
  for (pd_u64 k = threadIdx.x; k < count; k += 4 * blockDim.x)
    for (pd_u64 u = 0; u < 4; u++)
      if (k + u * blockDim.x < count) v[u] = pd_combine<op>(v[u], pd_load(parts, k + u * blockDim.x));
  return pd_of_block<op>(pd_combine<op>(pd_combine<op>(v[0], v[1]), pd_combine<op>(v[2], v[3])), neutral);
}

// Merges `many` copies of `len` elements, so many of them at a time, into an array each, or all into the array that has them. Copies are
// `by_copy` elements apart, and elements `by_element`. A block combines `columns` elements at a time, and a power of two of them: each
// thread some copies of one, then the rows of the block by halves. `Call::merge` launches it.
template <pd_op op, class T> PD_FN void pd_merge(const pd_words<9>& w, T neutral) {
  __shared__ pd_shared<T, 128> rows;
  const pd_input<T> copies = pd_as_input<T>(w.v[0]);
  const pd_array<T> to = pd_as_array<T>(w.v[1]);
  const pd_u64 len = w.v[2], many = w.v[3], by_element = w.v[4], by_copy = w.v[5], columns = w.v[6], chunk = w.v[7];
  const bool is_last = w.v[8] != 0;
  const pd_u64 tiles = (len + columns - 1) / columns, chunks = (many + chunk - 1) / chunk;
  const pd_u64 column = threadIdx.x % columns, row = threadIdx.x / columns, step = blockDim.x / columns;
  for (pd_u64 job = blockIdx.x; job < tiles * chunks; job += gridDim.x) {
    const pd_u64 at = job % tiles * columns + column, part = job / tiles, end = pd_min((part + 1) * chunk, many);
    T v[4] = {neutral, neutral, neutral, neutral};
    if (at < len)
      for (pd_u64 k = part * chunk + row; k < end; k += 4 * step)
        for (pd_u64 u = 0; u < 4; u++)
          if (k + u * step < end) v[u] = pd_combine<op>(v[u], pd_load(copies, (k + u * step) * by_copy + at * by_element));
    pd_store(rows, threadIdx.x, pd_combine<op>(pd_combine<op>(v[0], v[1]), pd_combine<op>(v[2], v[3])));
    PD_BARRIER();
    for (pd_u64 by = blockDim.x / 2; by >= columns; by /= 2) {
      if (threadIdx.x < by) pd_store(rows, threadIdx.x, pd_combine<op>(pd_load(rows, threadIdx.x), pd_load(rows, threadIdx.x + by)));
      PD_BARRIER();
    }
    if (row == 0 && at < len) {
      const T whole = pd_load(rows, column);
      if (is_last) pd_store(to, at, pd_combine<op>(pd_load(to, at), whole));
      else pd_store(to, part * len + at, whole);
    }
    PD_BARRIER();  // the next elements use the same rows
  }
}

// The combination of what the threads of the block have of the element `at`; each element begins at another thread, away from the same
// banks.
template <pd_op op, class T, int N> PD_FN T pd_of_columns(pd_shared<T, N>& copies, pd_u64 at, T neutral) {
  T v = neutral;
  for (pd_u64 k = 0; k < 128; k++) v = pd_combine<op>(v, pd_load(copies, at * 128 + (at + k) % 128));
  return v;
}

// Adds to an element of all: what threads of a warp add to one element at a time, the first of them adds. The threads that are here add
// up by halves: those of odd places give what they have to those in front of them, and leave.
template <class T> PD_FN void pd_atomic_add(pd_array<T> a, pd_u64 i, T v) {
  const pd_u64 address = pd_address(a, i);
  const pd_u32 here = pd_here(), lane = threadIdx.x % 32;
  const pd_u32 same = pd_same(here, address), before = same & ~(0xffffffffu << lane);
  pd_u32 behind = same & (0xfffffffeu << lane), place = pd_bits(before);
  while (pd_ballot(here, behind != 0)) {
    const T other = pd_shuffle_from(here, v, behind ? pd_first(behind) : lane);
    if (behind) v = pd_add(v, other);
    behind &= ~pd_ballot(here, place & 1);
    place >>= 1;
  }
  if (before == 0) pd_add_alone(a, i, v);
}
