//! Scratch memory that survives the call, and a pointer that several threads may share.
#[derive(Clone, Copy)]
pub struct Ptr(pub *mut f64);
unsafe impl Send for Ptr {}
unsafe impl Sync for Ptr {}
impl Ptr {
    /// # Safety
    /// the range is inside the allocation and not written by another thread
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn slice<'a>(self, a: usize, n: usize) -> &'a mut [f64] {
        unsafe { std::slice::from_raw_parts_mut(self.0.add(a), n) }
    }
}
/// Scratch that is kept between calls (page faults of fresh memory cost more than many of these kernels).
static POOL: std::sync::Mutex<Vec<Vec<f64>>> = std::sync::Mutex::new(Vec::new());
pub struct Scratch(Vec<f64>, usize);
impl Scratch {
    /// n values of unspecified content, 64-byte aligned
    pub fn new(n: usize) -> Scratch {
        let v = Scratch::get(n + 8);
        let off = v.as_ptr().align_offset(64);
        Scratch(v, off)
    }
    fn get(n: usize) -> Vec<f64> {
        let mut p = POOL.lock().unwrap();
        let mut best = usize::MAX;
        for (i, v) in p.iter().enumerate() {
            if v.len() >= n && (best == usize::MAX || v.len() < p[best].len()) {
                best = i;
            }
        }
        if best != usize::MAX && p[best].len() <= 4 * n + 4096 {
            return p.swap_remove(best);
        }
        drop(p);
        vec![0.0; n]
    }
    pub fn zeros(n: usize) -> Scratch {
        let mut s = Scratch::new(n);
        s[..n].fill(0.0);
        s
    }
}
impl Drop for Scratch {
    fn drop(&mut self) {
        POOL.lock().unwrap().push(std::mem::take(&mut self.0));
    }
}
impl std::ops::Deref for Scratch {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &self.0[self.1..]
    }
}
impl std::ops::DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.0[self.1..]
    }
}
/// the first part of a slice as rows of T
pub fn rows_of<const T: usize>(s: &mut [f64], n: usize) -> &mut [[f64; T]] {
    assert!(s.len() >= n * T);
    unsafe { std::slice::from_raw_parts_mut(s.as_mut_ptr() as *mut [f64; T], n) }
}
