// The types that the text of kernels and both of its worlds, NVRTC's and g++'s, have in common.
typedef signed char pd_i8;
typedef short pd_i16;
typedef int pd_i32;
typedef long long pd_i64;
typedef unsigned char pd_u8;
typedef unsigned short pd_u16;
typedef unsigned int pd_u32;
typedef unsigned long long pd_u64;

// the words that a kernel takes
template <int N> struct pd_words { pd_u64 v[N]; };
