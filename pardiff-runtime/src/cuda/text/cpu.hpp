// CUDA's names for g++, and a watch over every access. A thread is a fiber; the threads of a block run in an order by a seed until
// each is at a barrier, blocks one after the other in an order by the seed. Global memory remembers who touched each element in the
// launch: two threads that no barrier separates, at least one of which writes, are a race.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csetjmp>
#include <ucontext.h>
#include <vector>
#define PD_FN static inline __attribute__((unused))
#define PD_UNROLL
#define PD_KERNEL extern "C" void
#define __shared__ static
#define PD_NAN __builtin_nan("")
#define PD_INF __builtin_inf()
PD_FN double pd_bits_f64(pd_u64 w) { double v; memcpy(&v, &w, 8); return v; }
PD_FN float pd_bits_f32(pd_u64 w) { pd_u32 h = (pd_u32)w; float v; memcpy(&v, &h, 4); return v; }
PD_FN pd_u64 pd_bits_of(double v) { pd_u64 w; memcpy(&w, &v, 8); return w; }
PD_FN pd_u64 pd_bits_of(float v) { pd_u32 w; memcpy(&w, &v, 4); return w; }

struct pd_dim { unsigned x; };
static pd_dim threadIdx, blockIdx, blockDim, gridDim;

struct pd_stop {};
static char pd_message[400];
template <class... A> [[noreturn]] static void pd_stop_with(const char* text, A... a) {
  char detail[300];
  snprintf(detail, sizeof detail, text, a...);
  snprintf(pd_message, sizeof pd_message, "%s (block %u, thread %u)", detail, blockIdx.x, threadIdx.x);
  throw pd_stop{};
}

// who did something to an element in a launch: a block, or several; and of its threads, since a barrier, one or several
struct pd_side { pd_u32 launch, block, thread, phase; };
struct pd_touch { pd_side written, added, read; };
struct pd_allocation { pd_u64 magic, bytes; pd_touch* touches; pd_u64 unused[5]; };
static const pd_u64 PD_MAGIC = 0x7061726469666621ull;
static const pd_u32 PD_SEVERAL = 0xffffffffu;
static pd_u32 pd_launch, pd_phase;

// whether one of those may be at it at the same time as this thread
static bool pd_meets(const pd_side& side) {
  if (side.launch != pd_launch) return false;
  return side.block != blockIdx.x || (side.phase == pd_phase && side.thread != threadIdx.x);
}
static void pd_enter(pd_side& side) {
  const bool again = side.launch == pd_launch;
  if (again && side.block != blockIdx.x) { side.block = PD_SEVERAL; return; }
  const bool others = again && side.phase == pd_phase && side.thread != threadIdx.x;
  side = {pd_launch, blockIdx.x, others ? PD_SEVERAL : threadIdx.x, pd_phase};
}
static void pd_no_other(const pd_side& side, pd_u64 i, const char* here, const char* there) {
  if (pd_meets(side)) pd_stop_with("race: element %llu is %s here and %s by another thread", i, here, there);
}
static void pd_touch_read(pd_touch& t, pd_u64 i) {
  pd_no_other(t.written, i, "read", "written");
  pd_no_other(t.added, i, "read", "added to");
  pd_enter(t.read);
}
static void pd_touch_write(pd_touch& t, pd_u64 i) {
  pd_no_other(t.written, i, "written", "written");
  pd_no_other(t.added, i, "written", "added to");
  pd_no_other(t.read, i, "written", "read");
  pd_enter(t.written);
}
static void pd_touch_add(pd_touch& t, pd_u64 i) {
  pd_no_other(t.written, i, "added to", "written");
  pd_no_other(t.read, i, "added to", "read");
  pd_enter(t.added);
}

template <class T> struct pd_array { T* p; pd_u64 len; pd_touch* touches; };
template <class T> struct pd_input { pd_array<T> a; };
template <class T> PD_FN pd_array<T> pd_as_array(pd_u64 word) {
  pd_allocation* at = (pd_allocation*)(word - sizeof(pd_allocation));
  if (word == 0 || at->magic != PD_MAGIC) pd_stop_with("%llx is not the address of an allocation", word);
  return {(T*)word, at->bytes / sizeof(T), at->touches};
}
template <class T> PD_FN pd_input<T> pd_as_input(pd_u64 word) { return {pd_as_array<T>(word)}; }
template <class T> PD_FN void pd_in_range(const pd_array<T>& a, pd_u64 i) {
  if (i >= a.len) pd_stop_with("element %llu of an array of %llu", i, a.len);
}
template <class T> PD_FN T pd_load(pd_array<T> a, pd_u64 i) { pd_in_range(a, i); pd_touch_read(a.touches[i], i); return a.p[i]; }
template <class T> PD_FN T pd_load(pd_input<T> a, pd_u64 i) { return pd_load(a.a, i); }
template <class T, class V> PD_FN void pd_store(pd_array<T> a, pd_u64 i, V v) { pd_in_range(a, i); pd_touch_write(a.touches[i], i); a.p[i] = v; }
// what a thread adds is recorded as its own, also where another one adds it
template <class T> PD_FN pd_u64 pd_address(pd_array<T> a, pd_u64 i) { pd_in_range(a, i); pd_touch_add(a.touches[i], i); return (pd_u64)(a.p + i); }
template <class T> PD_FN void pd_add_alone(pd_array<T> a, pd_u64 i, T v) { a.p[i] += v; }
PD_FN void pd_mark(pd_array<bool> a, pd_u64 i) { pd_in_range(a, i); pd_touch_add(a.touches[i], i); a.p[i] = true; }

template <class T, int N> struct pd_local { T v[N]; pd_local() { memset((void*)v, 0xff, sizeof v); } };
template <class T, int N> PD_FN T pd_load(const pd_local<T, N>& a, pd_u64 i) { if (i >= N) pd_stop_with("element %llu of a local array of %d", i, N); return a.v[i]; }
template <class T, int N, class V> PD_FN void pd_store(pd_local<T, N>& a, pd_u64 i, V v) { if (i >= N) pd_stop_with("element %llu of a local array of %d", i, N); a.v[i] = v; }

// shared arrays are poisoned when a block starts
struct pd_shared_base { virtual void poison() = 0; };
static std::vector<pd_shared_base*> pd_all_shared;
template <class T, int N> struct pd_shared : pd_shared_base {
  T v[N];
  pd_touch touches[N];
  pd_shared() { poison(); pd_all_shared.push_back(this); }
  void poison() override { memset((void*)v, 0xff, sizeof v); memset((void*)touches, 0, sizeof touches); }
};
template <class T, int N> PD_FN T pd_load(pd_shared<T, N>& a, pd_u64 i) {
  if (i >= N) pd_stop_with("element %llu of a shared array of %d", i, N);
  pd_touch_read(a.touches[i], i);
  return a.v[i];
}
template <class T, int N, class V> PD_FN void pd_store(pd_shared<T, N>& a, pd_u64 i, V v) {
  if (i >= N) pd_stop_with("element %llu of a shared array of %d", i, N);
  pd_touch_write(a.touches[i], i);
  a.v[i] = v;
}
template <class T, int N> PD_FN void pd_atomic_add(pd_shared<T, N>& a, pd_u64 i, T v) {
  if (i >= N) pd_stop_with("element %llu of a shared array of %d", i, N);
  pd_touch_add(a.touches[i], i);
  a.v[i] += v;
}

PD_FN bool pd_failed(pd_array<pd_u64> record) { return record.p[0] != 0; }
PD_FN void pd_fail(pd_array<pd_u64> record, pd_u64 number, pd_u64 a, pd_u64 b, pd_u64 c) {
  if (record.p[0] == 0) { record.p[0] = number + 1; record.p[1] = a; record.p[2] = b; record.p[3] = c; }
}

// fibers; between two of them jumps need no system call. The compiler must not know that jumps come back: others write meanwhile
enum pd_state { PD_RUNS, PD_AT_BARRIER, PD_IN_WARP, PD_GATHERS, PD_DONE };
struct pd_fiber {
  ucontext_t context; jmp_buf here; bool started; std::vector<char> stack;
  pd_state state; int line; pd_u32 mask, votes; pd_u64 gives, seen[32]; bool voted[2];
};
static jmp_buf pd_scheduler;
static std::vector<pd_fiber> pd_fibers;
static void (*pd_entry)(const pd_u64*);
static const pd_u64* pd_entry_words;
static bool pd_stopped;
static __attribute__((noipa)) void pd_resume(pd_fiber& fiber) {
  if (_setjmp(pd_scheduler)) return;
  if (fiber.started) _longjmp(fiber.here, 1);
  fiber.started = true;
  setcontext(&fiber.context);
}
static __attribute__((noipa)) void pd_wait(pd_state state, int line) {
  pd_fiber& self = pd_fibers[threadIdx.x];
  self.state = state; self.line = line;
  if (!_setjmp(self.here)) _longjmp(pd_scheduler, 1);
}
static void pd_barrier(int line) { pd_wait(PD_AT_BARRIER, line); }
#define PD_BARRIER() pd_barrier(__LINE__)
static bool pd_any(bool cond, int line) {
  pd_fiber& self = pd_fibers[threadIdx.x];
  const pd_u32 slot = self.votes++ % 2;
  self.voted[slot] = cond;
  pd_barrier(line);
  for (const pd_fiber& other : pd_fibers) if (other.voted[slot]) return true;
  return false;
}
#define PD_ANY(cond) pd_any(cond, __LINE__)

// the threads of a warp that `mask` names exchange values: all of them come, or it is an error
static unsigned pd_lane() { return threadIdx.x % 32; }
static unsigned pd_warp() { return threadIdx.x - pd_lane(); }
static pd_u32 pd_whole_warp() { const unsigned n = pd_fibers.size() - pd_warp(); return n < 32 ? (1u << n) - 1 : 0xffffffffu; }
static const pd_u64* pd_exchange(pd_u64 v, pd_u32 mask, int line) {
  pd_fiber& self = pd_fibers[threadIdx.x];
  self.gives = v; self.mask = mask;
  if (!(mask >> pd_lane() & 1)) pd_stop_with("divergent shuffle: a thread is not among those that it names");
  pd_wait(PD_IN_WARP, line);
  return pd_fibers[threadIdx.x].seen;
}
template <class T> static T pd_shuffle(T v, unsigned from, pd_u32 mask, int line) {
  pd_u64 word = 0;
  memcpy(&word, &v, sizeof v);
  if (!(mask >> from & 1)) pd_stop_with("divergent shuffle: lane %u, whose value is asked for, takes no part", from);
  memcpy(&v, &pd_exchange(word, mask, line)[from], sizeof v);
  return v;
}
#define pd_shuffle_down(v, by) pd_shuffle(v, pd_lane() + (by) < 32 ? pd_lane() + (by) : pd_lane(), pd_whole_warp(), __LINE__)
#define pd_shuffle_from(mask, v, lane) pd_shuffle(v, lane, mask, __LINE__)
static pd_u32 pd_equal(pd_u32 mask, pd_u64 v, int line) {
  const pd_u64* seen = pd_exchange(v, mask, line);
  pd_u32 same = 0;
  for (unsigned lane = 0; lane < 32; lane++) if (mask >> lane & 1 && seen[lane] == v) same |= 1u << lane;
  return same;
}
#define pd_same(mask, v) pd_equal(mask, v, __LINE__)
static pd_u32 pd_those(pd_u32 mask, bool cond, int line) {
  const pd_u32 same = pd_equal(mask, cond, line);
  return cond ? same : mask & ~same;
}
#define pd_ballot(mask, cond) pd_those(mask, cond, __LINE__)
// the threads of the warp that are here: those that wait when none goes on by itself
static pd_u32 pd_gathered(int line) { pd_wait(PD_GATHERS, line); return pd_fibers[threadIdx.x].mask; }
#define pd_here() pd_gathered(__LINE__)
PD_FN pd_u32 pd_bits(pd_u32 v) { return __builtin_popcount(v); }
PD_FN pd_u32 pd_first(pd_u32 v) { return __builtin_ctz(v); }

static void pd_main() {
  try { pd_entry(pd_entry_words); } catch (pd_stop&) { pd_stopped = true; }
  pd_fibers[threadIdx.x].state = PD_DONE;
  _longjmp(pd_scheduler, 1);
}
static pd_u64 pd_random_state;
static pd_u64 pd_random() {
  pd_random_state += 0x9e3779b97f4a7c15ull;
  pd_u64 z = pd_random_state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
static std::vector<unsigned> pd_permuted(unsigned n) {
  std::vector<unsigned> order(n);
  for (unsigned k = 0; k < n; k++) order[k] = k;
  for (unsigned k = n; k > 1; k--) { unsigned j = pd_random() % k; unsigned t = order[k - 1]; order[k - 1] = order[j]; order[j] = t; }
  return order;
}

// the threads of `first`'s warp that `is` chooses
template <class F> static pd_u32 pd_mask_of(unsigned first, F is) {
  pd_u32 mask = 0;
  const unsigned warp = first - first % 32;
  for (unsigned lane = 0; lane < 32 && warp + lane < pd_fibers.size(); lane++) if (is(pd_fibers[warp + lane])) mask |= 1u << lane;
  return mask;
}
template <class F> static void pd_each_of(unsigned first, pd_u32 mask, F act) {
  for (unsigned lane = 0; lane < 32; lane++) if (mask >> lane & 1) act(pd_fibers[first - first % 32 + lane], lane);
}

// lets those on who wait for each other; says why nobody goes on
static const char* pd_release(bool& released) {
  const unsigned n = pd_fibers.size();
  released = false;
  bool incomplete = false;
  for (unsigned t = 0; t < n; t++) {
    const pd_fiber& first = pd_fibers[t];
    if (first.state != PD_IN_WARP) continue;
    const int line = first.line;
    const pd_u32 mask = first.mask;
    const pd_u32 come = pd_mask_of(t, [&](const pd_fiber& it) { return it.state == PD_IN_WARP && it.line == line && it.mask == mask; });
    // those that do not come yet may be on their way
    if ((come & mask) != mask) { incomplete = true; continue; }
    pd_u64 given[32] = {};
    pd_each_of(t, mask, [&](const pd_fiber& it, unsigned lane) { given[lane] = it.gives; });
    pd_each_of(t, mask, [&](pd_fiber& it, unsigned) { memcpy(it.seen, given, sizeof given); it.state = PD_RUNS; });
    released = true;
  }
  if (released) return nullptr;
  for (unsigned t = 0; t < n; t++) {
    if (pd_fibers[t].state != PD_GATHERS) continue;
    const int line = pd_fibers[t].line;
    const pd_u32 mask = pd_mask_of(t, [&](const pd_fiber& it) { return it.state == PD_GATHERS && it.line == line; });
    pd_each_of(t, mask, [&](pd_fiber& it, unsigned) { it.mask = mask; it.state = PD_RUNS; });
    released = true;
  }
  if (released) return nullptr;
  if (incomplete) return "divergent shuffle: not all threads of a warp take part";
  unsigned waiting = 0;
  bool same = true;
  for (unsigned t = 0; t < n; t++) {
    waiting += pd_fibers[t].state == PD_AT_BARRIER;
    same = same && pd_fibers[t].line == pd_fibers[0].line;
  }
  if (waiting == 0) return nullptr;
  if (waiting != n || !same) return "divergent barrier: not all threads of a block wait at it";
  for (unsigned t = 0; t < n; t++) pd_fibers[t].state = PD_RUNS;
  pd_phase++;
  released = true;
  return nullptr;
}

// Runs a kernel; what went wrong is written to `message`, and the result is whether nothing did.
extern "C" bool pd_run(void (*entry)(const pd_u64*), const pd_u64* words, unsigned grid, unsigned block, pd_u64 seed, pd_u32 launch, char* message, size_t room) {
  pd_entry = entry; pd_entry_words = words; pd_launch = launch; pd_random_state = seed; pd_stopped = false;
  gridDim.x = grid; blockDim.x = block;
  if (pd_fibers.size() != block) pd_fibers = std::vector<pd_fiber>(block);
  for (unsigned b : pd_permuted(grid)) {
    blockIdx.x = b; pd_phase = 0;
    for (pd_shared_base* shared : pd_all_shared) shared->poison();
    for (pd_fiber& fiber : pd_fibers) {
      if (fiber.stack.empty()) fiber.stack.resize(192 << 10);
      fiber.state = PD_RUNS; fiber.votes = 0; fiber.line = 0; fiber.started = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = fiber.stack.size();
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, pd_main, 0);
    }
    for (bool released = true; released;) {
      for (unsigned t : pd_permuted(block)) {
        if (pd_fibers[t].state != PD_RUNS) continue;
        threadIdx.x = t;
        pd_resume(pd_fibers[t]);
        if (pd_stopped) { snprintf(message, room, "%s", pd_message); return false; }
      }
      const char* why = pd_release(released);
      if (why) { snprintf(message, room, "%s (block %u)", why, b); return false; }
    }
  }
  return true;
}
