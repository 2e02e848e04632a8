// Prefix sums and numbers in order: what `Call::scan` and `Call::sort` launch. A tile is what a block works on at a time, 16 elements a
// thread. Whatever the numbers of blocks, results are the same: there is one.
#define PD_EACH 16
#define PD_TILE 2048
#define PD_BITS 5
#define PD_DIGITS 32

// sums of lengths do not wrap
PD_FN pd_u64 pd_saturating(pd_u64 a, pd_u64 b) { return a + b < a ? ~0ull : a + b; }

// In each thread the sum of what the threads in front of it have; `all` is that of all threads.
PD_FN pd_u64 pd_before(pd_shared<pd_u64, 128>& part, pd_u64 v, pd_u64& all) {
  const pd_u32 t = threadIdx.x;
  pd_store(part, t, v);
  PD_BARRIER();
  for (pd_u32 by = 1; by < 128; by *= 2) {
    const pd_u64 other = t >= by ? pd_load(part, t - by) : 0;
    PD_BARRIER();
    v = pd_saturating(v, other);
    pd_store(part, t, v);
    PD_BARRIER();
  }
  all = pd_load(part, 127);
  const pd_u64 before = t > 0 ? pd_load(part, t - 1) : 0;
  PD_BARRIER();
  return before;
}

// array, its length, the number of tiles, their sums
PD_KERNEL pd_order_sums(const pd_words<4> w) {
  __shared__ pd_shared<pd_u64, 128> part;
  const pd_input<pd_u64> array = pd_as_input<pd_u64>(w.v[0]);
  const pd_array<pd_u64> sums = pd_as_array<pd_u64>(w.v[3]);
  const pd_u64 len = w.v[1], tiles = w.v[2];
  for (pd_u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    pd_u64 sum = 0, all;
    for (pd_u32 k = 0; k < PD_EACH; k++) {
      const pd_u64 at = tile * PD_TILE + k * 128 + threadIdx.x;
      if (at < len) sum = pd_saturating(sum, pd_load(array, at));
    }
    pd_before(part, sum, all);
    if (threadIdx.x == 0) pd_store(sums, tile, all);
  }
}

// the number of sums, the sums: each becomes the sum of those in front of it
PD_KERNEL pd_order_scan_sums(const pd_words<2> w) {
  __shared__ pd_shared<pd_u64, 128> part;
  const pd_array<pd_u64> sums = pd_as_array<pd_u64>(w.v[1]);
  pd_u64 carried = 0;
  for (pd_u64 first = 0; first < w.v[0]; first += 128) {
    const pd_u64 at = first + threadIdx.x;
    pd_u64 all;
    const pd_u64 before = pd_before(part, at < w.v[0] ? pd_load(sums, at) : 0, all);
    if (at < w.v[0]) pd_store(sums, at, pd_saturating(carried, before));
    carried = pd_saturating(carried, all);
  }
}

// array, its length, the number of tiles, what stands in front of each
PD_KERNEL pd_order_scan(const pd_words<4> w) {
  __shared__ pd_shared<pd_u64, 128> part;
  const pd_array<pd_u64> array = pd_as_array<pd_u64>(w.v[0]);
  const pd_input<pd_u64> sums = pd_as_input<pd_u64>(w.v[3]);
  const pd_u64 len = w.v[1], tiles = w.v[2];
  for (pd_u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const pd_u64 first = tile * PD_TILE + (pd_u64)threadIdx.x * PD_EACH;
    pd_u64 sum = 0, all;
    for (pd_u64 at = first; at < first + PD_EACH && at < len; at++) sum = pd_saturating(sum, pd_load(array, at));
    sum = pd_saturating(pd_load(sums, tile), pd_before(part, sum, all));
    for (pd_u64 at = first; at < first + PD_EACH && at < len; at++) {
      const pd_u64 own = pd_load(array, at);
      pd_store(array, at, sum);
      sum = pd_saturating(sum, own);
    }
  }
}

// how often each digit occurs in each thread's part of a tile: by digit, then by thread, away from the same banks
PD_FN pd_u32 pd_of_digit(pd_u32 digit, pd_u32 thread) { return (digit * 128 + thread) * 33 / 32; }
PD_FN pd_u32 pd_digit(pd_u32 key, pd_u64 shift) { return key >> shift & (PD_DIGITS - 1); }
PD_FN void pd_no_digits(pd_shared<pd_u32, 4224>& count) {
  for (pd_u32 digit = 0; digit < PD_DIGITS; digit++) pd_store(count, pd_of_digit(digit, threadIdx.x), 0u);
}
PD_FN void pd_count_digit(pd_shared<pd_u32, 4224>& count, pd_u32 digit) {
  const pd_u32 own = pd_of_digit(digit, threadIdx.x);
  pd_store(count, own, pd_load(count, own) + 1u);
}

// keys, how many, the place of the digit, the number of tiles, how often each digit occurs in each of them: by digit, then by tile
PD_KERNEL pd_order_count(const pd_words<5> w) {
  __shared__ pd_shared<pd_u32, 4224> count;
  const pd_input<pd_u32> keys = pd_as_input<pd_u32>(w.v[0]);
  const pd_array<pd_u64> counts = pd_as_array<pd_u64>(w.v[4]);
  const pd_u64 len = w.v[1], shift = w.v[2], tiles = w.v[3];
  for (pd_u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    pd_no_digits(count);
    for (pd_u32 k = 0; k < PD_EACH; k++) {
      const pd_u64 at = tile * PD_TILE + k * 128 + threadIdx.x;
      if (at < len) pd_count_digit(count, pd_digit(pd_load(keys, at), shift));
    }
    PD_BARRIER();
    if (threadIdx.x < PD_DIGITS) {
      pd_u64 sum = 0;
      for (pd_u32 thread = 0; thread < 128; thread++) sum += pd_load(count, pd_of_digit(threadIdx.x, thread));
      pd_store(counts, threadIdx.x * tiles + tile, sum);
    }
    PD_BARRIER();
  }
}

// a tile in shared memory: elements away from the same banks, as threads have 16 neighbours each
typedef pd_shared<pd_u32, PD_TILE * 33 / 32> pd_tile;
PD_FN pd_u32 pd_in_tile(pd_u32 at) { return at * 33 / 32; }

// Puts a tile in the order of a digit, without a change of the order of equal ones; `starts` becomes where each digit begins.
PD_FN void pd_sort_tile(
    pd_tile& keys, pd_tile& order, pd_shared<pd_u32, 4224>& count, pd_shared<pd_u64, 128>& part,
    pd_shared<pd_u32, PD_DIGITS>& starts, pd_u32 many, pd_u64 shift) {
  pd_no_digits(count);
  // each thread has a part of the tile, so that equal digits stay in order
  pd_u32 own_keys[PD_EACH], own_order[PD_EACH];
  PD_UNROLL for (pd_u32 k = 0; k < PD_EACH; k++) {
    const pd_u32 at = threadIdx.x * PD_EACH + k;
    if (at >= many) continue;
    own_keys[k] = pd_load(keys, pd_in_tile(at));
    own_order[k] = pd_load(order, pd_in_tile(at));
    pd_count_digit(count, pd_digit(own_keys[k], shift));
  }
  PD_BARRIER();
  // how many are in front of each, by digit and then by thread: a thread sums 32 of these
  const pd_u32 digit = threadIdx.x / 4, thread = threadIdx.x % 4 * 32;
  pd_u64 sum = 0, all;
  for (pd_u32 k = 0; k < 32; k++) sum += pd_load(count, pd_of_digit(digit, thread + k));
  sum = pd_before(part, sum, all);
  for (pd_u32 k = 0; k < 32; k++) {
    const pd_u32 own = pd_of_digit(digit, thread + k), here = pd_load(count, own);
    pd_store(count, own, (pd_u32)sum);
    sum += here;
  }
  PD_BARRIER();
  if (threadIdx.x < PD_DIGITS) pd_store(starts, threadIdx.x, pd_load(count, pd_of_digit(threadIdx.x, 0)));
  PD_BARRIER();
  PD_UNROLL for (pd_u32 k = 0; k < PD_EACH; k++) {
    if (threadIdx.x * PD_EACH + k >= many) continue;
    const pd_u32 own = pd_of_digit(pd_digit(own_keys[k], shift), threadIdx.x), to = pd_load(count, own);
    pd_store(count, own, to + 1u);
    pd_store(keys, pd_in_tile(to), own_keys[k]);
    pd_store(order, pd_in_tile(to), own_order[k]);
  }
  PD_BARRIER();
}

// keys, how many, the place of the digit, the number of tiles, where the first of each digit of each of them goes; the numbers of the
// keys, or 0 if they are in order; and where keys and numbers go. Neighbours of one digit go to neighbouring places.
PD_KERNEL pd_order_place(const pd_words<8> w) {
  __shared__ pd_shared<pd_u32, 4224> count;
  __shared__ pd_shared<pd_u64, 128> part;
  __shared__ pd_shared<pd_u32, PD_DIGITS> starts;
  __shared__ pd_shared<pd_u64, PD_DIGITS> place;
  __shared__ pd_tile of_tile, order_of_tile;
  const pd_input<pd_u32> keys = pd_as_input<pd_u32>(w.v[0]);
  const pd_input<pd_u64> counts = pd_as_input<pd_u64>(w.v[4]);
  const pd_array<pd_u32> keys_to = pd_as_array<pd_u32>(w.v[6]), order_to = pd_as_array<pd_u32>(w.v[7]);
  const pd_u64 len = w.v[1], shift = w.v[2], tiles = w.v[3];
  for (pd_u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const pd_u64 first = tile * PD_TILE;
    const pd_u32 many = (pd_u32)pd_min<pd_u64>(len - first, PD_TILE);
    for (pd_u32 at = threadIdx.x; at < many; at += 128) {
      pd_store(of_tile, pd_in_tile(at), pd_load(keys, first + at));
      const pd_u32 number = w.v[5] ? pd_load(pd_as_input<pd_u32>(w.v[5]), first + at) : (pd_u32)(first + at);
      pd_store(order_of_tile, pd_in_tile(at), number);
    }
    PD_BARRIER();
    pd_sort_tile(of_tile, order_of_tile, count, part, starts, many, shift);
    if (threadIdx.x < PD_DIGITS) {
      pd_store(place, threadIdx.x, pd_load(counts, threadIdx.x * tiles + tile) - pd_load(starts, threadIdx.x));
    }
    PD_BARRIER();
    for (pd_u32 at = threadIdx.x; at < many; at += 128) {
      const pd_u32 key = pd_load(of_tile, pd_in_tile(at));
      const pd_u64 to = pd_load(place, pd_digit(key, shift)) + at;
      pd_store(keys_to, to, key);
      pd_store(order_to, to, pd_load(order_of_tile, pd_in_tile(at)));
    }
    PD_BARRIER();
  }
}

// keys, how many, of no more than a tile, the number of digits, and where their numbers go: a block sorts them at once
PD_KERNEL pd_order_tile(const pd_words<4> w) {
  __shared__ pd_shared<pd_u32, 4224> count;
  __shared__ pd_shared<pd_u64, 128> part;
  __shared__ pd_shared<pd_u32, PD_DIGITS> starts;
  __shared__ pd_tile of_tile, order_of_tile;
  const pd_array<pd_u32> keys = pd_as_array<pd_u32>(w.v[0]), order = pd_as_array<pd_u32>(w.v[3]);
  const pd_u32 many = (pd_u32)w.v[1];
  for (pd_u32 at = threadIdx.x; at < many; at += 128) {
    pd_store(of_tile, pd_in_tile(at), pd_load(keys, at));
    pd_store(order_of_tile, pd_in_tile(at), at);
  }
  PD_BARRIER();
  for (pd_u64 digit = 0; digit < w.v[2]; digit++) {
    pd_sort_tile(of_tile, order_of_tile, count, part, starts, many, digit * PD_BITS);
  }
  for (pd_u32 at = threadIdx.x; at < many; at += 128) {
    pd_store(keys, at, pd_load(of_tile, pd_in_tile(at)));
    pd_store(order, at, pd_load(order_of_tile, pd_in_tile(at)));
  }
}
