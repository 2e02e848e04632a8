// What the text of kernels calls, for NVRTC. `cpu.hpp` says the same for g++.
#define PD_FN static __device__ __forceinline__
// so that arrays of a thread whose elements loops name are registers
#define PD_UNROLL _Pragma("unroll")
#define PD_KERNEL extern "C" __global__ void __launch_bounds__(128)

// an array in global memory: one that the kernel writes, and one that it only reads
template <class T> using pd_array = T*;
template <class T> struct pd_input { const T* __restrict__ p; };
template <class T> PD_FN pd_array<T> pd_as_array(pd_u64 word) { return reinterpret_cast<T*>(word); }
template <class T> PD_FN pd_input<T> pd_as_input(pd_u64 word) { return {reinterpret_cast<const T*>(word)}; }
template <class T> PD_FN T pd_load(T* a, pd_u64 i) { return a[i]; }
template <class T> PD_FN T pd_load(pd_input<T> a, pd_u64 i) { return a.p[i]; }
PD_FN double pd_load(pd_input<double> a, pd_u64 i) { return __ldg(a.p + i); }
PD_FN float pd_load(pd_input<float> a, pd_u64 i) { return __ldg(a.p + i); }
PD_FN pd_u64 pd_load(pd_input<pd_u64> a, pd_u64 i) { return __ldg(a.p + i); }
PD_FN pd_u32 pd_load(pd_input<pd_u32> a, pd_u64 i) { return __ldg(a.p + i); }
template <class T> PD_FN void pd_store(T* a, pd_u64 i, T v) { a[i] = v; }
template <class T> PD_FN pd_u64 pd_address(T* a, pd_u64 i) { return reinterpret_cast<pd_u64>(a + i); }
template <class T> PD_FN void pd_add_alone(T* a, pd_u64 i, T v) { atomicAdd(a + i, v); }
// several threads store the same
PD_FN void pd_mark(bool* a, pd_u64 i) { *(volatile bool*)(a + i) = true; }

// an array of one thread, and one that the threads of a block share
template <class T, int N> struct pd_local { T v[N]; };
template <class T, int N> PD_FN T pd_load(const pd_local<T, N>& a, pd_u64 i) { return a.v[i]; }
template <class T, int N> PD_FN void pd_store(pd_local<T, N>& a, pd_u64 i, T v) { a.v[i] = v; }
template <class T, int N> struct pd_shared { T v[N]; };
template <class T, int N> PD_FN T pd_load(const pd_shared<T, N>& a, pd_u64 i) { return a.v[i]; }
template <class T, int N> PD_FN void pd_store(pd_shared<T, N>& a, pd_u64 i, T v) { a.v[i] = v; }
template <class T, int N> PD_FN void pd_atomic_add(pd_shared<T, N>& a, pd_u64 i, T v) { atomicAdd(a.v + i, v); }

// the record of failed checks: the first one stays
PD_FN bool pd_failed(pd_array<pd_u64> record) { return *(volatile pd_u64*)record != 0; }
PD_FN void pd_fail(pd_array<pd_u64> record, pd_u64 number, pd_u64 a, pd_u64 b, pd_u64 c) {
  if (atomicCAS(record, 0ull, number + 1) == 0ull) { record[1] = a; record[2] = b; record[3] = c; }
}

PD_FN float pd_shuffle_down(float v, int by) { return __shfl_down_sync(0xffffffffu, v, by); }
PD_FN double pd_shuffle_down(double v, int by) { return __shfl_down_sync(0xffffffffu, v, by); }
PD_FN pd_u64 pd_shuffle_down(pd_u64 v, int by) { return __shfl_down_sync(0xffffffffu, v, by); }
PD_FN pd_i64 pd_shuffle_down(pd_i64 v, int by) { return __shfl_down_sync(0xffffffffu, v, by); }
template <class T> PD_FN T pd_shuffle_down(T v, int by) { return (T)__shfl_down_sync(0xffffffffu, (pd_i32)v, by); }
// the threads of the warp that are here, and what those of them exchange that a mask names
PD_FN pd_u32 pd_here() { return __activemask(); }
PD_FN pd_u32 pd_same(pd_u32 mask, pd_u64 v) {
#if __CUDA_ARCH__ >= 700
  return __match_any_sync(mask, v);
#else
  return 1u << threadIdx.x % 32;
#endif
}
PD_FN pd_u32 pd_ballot(pd_u32 mask, bool cond) { return __ballot_sync(mask, cond); }
template <class T> PD_FN T pd_shuffle_from(pd_u32 mask, T v, pd_u32 lane) { return __shfl_sync(mask, v, lane); }
PD_FN pd_u32 pd_bits(pd_u32 v) { return __popc(v); }
PD_FN pd_u32 pd_first(pd_u32 v) { return __ffs(v) - 1; }
#define PD_BARRIER() __syncthreads()
// a barrier that says whether it is so in any thread of the block
#define PD_ANY(cond) (__syncthreads_or(cond) != 0)
#define PD_NAN __longlong_as_double(0x7ff8000000000000ll)
#define PD_INF __longlong_as_double(0x7ff0000000000000ll)
PD_FN double pd_bits_f64(pd_u64 w) { return __longlong_as_double((pd_i64)w); }
PD_FN float pd_bits_f32(pd_u64 w) { return __int_as_float((pd_i32)w); }
PD_FN pd_u64 pd_bits_of(double v) { return (pd_u64)__double_as_longlong(v); }
PD_FN pd_u64 pd_bits_of(float v) { return (pd_u64)(pd_u32)__float_as_int(v); }
