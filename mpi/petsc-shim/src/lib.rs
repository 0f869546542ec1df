//! What commonweal uses of PETSc and MPI. All `unsafe` code is in this file; `shim.c` is what it calls.
//!
//! Every function is called by all ranks, in the same order, on the thread that began the [`Job`]: others are refused. A failure
//! on any rank, and a panic, end the job on all ranks, with a code other than 0.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::path::Path;
use std::thread::ThreadId;

#[repr(C)]
struct RawHalo {
    private: [u8; 0],
}

#[repr(C)]
struct RawMatrix {
    private: [u8; 0],
}

unsafe extern "C" {
    fn cw_init() -> c_int;
    fn cw_finalize() -> c_int;
    fn cw_rank() -> c_int;
    fn cw_size() -> c_int;
    fn cw_index_bytes() -> c_int;
    fn cw_abort(code: c_int);
    fn cw_listen();
    fn cw_raised() -> c_int;
    fn cw_greatest(x: *mut f64, n: i64) -> c_int;
    fn cw_sum(x: *mut u64) -> c_int;
    fn cw_before(own: u64, before: *mut u64) -> c_int;
    fn cw_counts(own: i64, all: *mut i64) -> c_int;
    fn cw_gather(own: *const f64, counts: *const i64, all: *mut f64) -> c_int;
    fn cw_halo_create(n_own: i64, n_ghosts: i64, ghosts: *const u64, out: *mut *mut RawHalo) -> c_int;
    fn cw_halo_fetch(halo: *mut RawHalo, width: i64, own: *const f64, ghosts: *mut f64) -> c_int;
    fn cw_halo_destroy(halo: *mut RawHalo) -> c_int;
    fn cw_matrix_create(
        n_rows: i64,
        n_columns: i64,
        first: *const u64,
        columns: *const u64,
        entries: *const f64,
        out: *mut *mut RawMatrix,
    ) -> c_int;
    fn cw_matrix_apply(matrix: *mut RawMatrix, x: *const f64, y: *mut f64) -> c_int;
    fn cw_matrix_solve(matrix: *mut RawMatrix, x: *mut f64, y: *const f64) -> c_int;
    fn cw_matrix_destroy(matrix: *mut RawMatrix) -> c_int;
    fn cw_read_at(path: *const c_char, offset: u64, bytes: *mut c_void, n: u64) -> c_int;
    fn cw_error_text(code: c_int, text: *mut c_char);
    fn cw_write_at(path: *const c_char, offset: u64, bytes: *const c_void, n: u64) -> c_int;
}

/// The exit code of a job that a panic or a failure of MPI ended.
const FAILED: c_int = 101;

/// Ends the job unless the code is 0.
fn done(code: c_int, what: &str) {
    if code != 0 {
        eprintln!("error: {what} failed with code {code}; the job ends");
        // SAFETY: MPI is running as long as there is a job, and this does not return.
        unsafe { cw_abort(FAILED) };
    }
}

thread_local! {
    static HAS_BEGUN: Cell<bool> = const { Cell::new(false) };
}

/// The ranks of a job, as one of them sees them.
pub struct Job {
    thread: ThreadId,
    rank: usize,
    size: usize,
    /// Not `Send`: MPI is called by one thread only.
    not_send: PhantomData<*const ()>,
}

// SAFETY: a reference is of use on other threads for what is plain data; whatever calls MPI checks the thread first.
unsafe impl Sync for Job {}

impl Job {
    /// Begins the job. Once only.
    pub fn begin() -> Job {
        assert!(!HAS_BEGUN.replace(true), "a job begins once");
        // SAFETY: nothing of MPI was called before.
        done(unsafe { cw_init() }, "MPI_Init");
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            hook(info);
            // SAFETY: MPI is running. Others would wait for this rank for ever.
            unsafe { cw_abort(FAILED) };
        }));
        // SAFETY: plain questions.
        let (rank, size) = unsafe { (cw_rank() as usize, cw_size() as usize) };
        Job { thread: std::thread::current().id(), rank, size, not_send: PhantomData }
    }

    /// Which rank this is.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The bytes of an index of this PETSc: 8, or 4 of one that cannot count states past 2^31.
    pub fn index_bytes(&self) -> usize {
        // SAFETY: a constant.
        unsafe { cw_index_bytes() as usize }
    }

    /// Ends the job on all ranks with this code. Files are left as they are.
    pub fn abort(&self, code: u8) -> ! {
        // SAFETY: MPI is running.
        unsafe { cw_abort(code.into()) };
        std::process::exit(code.into())
    }

    /// From now on, SIGINT, SIGTERM and SIGUSR1 ask to stop.
    pub fn listen(&self) {
        // SAFETY: the handler sets a flag.
        unsafe { cw_listen() };
    }

    /// Whether this rank has had such a signal.
    pub fn is_asked_to_stop(&self) -> bool {
        // SAFETY: reads a flag.
        unsafe { cw_raised() != 0 }
    }

    /// Replaces each number by the greatest that any rank has in its place. NaN has no order, and ends the job.
    pub fn greatest(&self, numbers: &mut [f64]) {
        self.check_thread();
        assert!(numbers.iter().all(|number| !number.is_nan()), "a maximum of NaN");
        // SAFETY: as many numbers as the slice has.
        done(unsafe { cw_greatest(numbers.as_mut_ptr(), numbers.len() as i64) }, "MPI_Allreduce");
    }

    /// The sum over all ranks.
    pub fn sum(&self, mut number: u64) -> u64 {
        self.check_thread();
        // SAFETY: one number.
        done(unsafe { cw_sum(&mut number) }, "MPI_Allreduce");
        number
    }

    /// The sum over the ranks before this one.
    pub fn before(&self, own: u64) -> u64 {
        self.check_thread();
        let mut before = 0;
        // SAFETY: one number.
        done(unsafe { cw_before(own, &mut before) }, "MPI_Exscan");
        before
    }

    /// The numbers of all ranks, in the order of the ranks.
    pub fn gather(&self, own: &[f64]) -> Vec<f64> {
        self.check_thread();
        let mut counts = vec![0i64; self.size];
        // SAFETY: a count for each rank.
        done(unsafe { cw_counts(own.len() as i64, counts.as_mut_ptr()) }, "MPI_Allgather");
        let mut all = vec![0.0; counts.iter().sum::<i64>() as usize];
        // SAFETY: room for as many numbers as all ranks have; the own ones are as many as were counted.
        done(unsafe { cw_gather(own.as_ptr(), counts.as_ptr(), all.as_mut_ptr()) }, "MPI_Allgatherv");
        all
    }

    /// Writes one file together: each rank its bytes from `offset` on. What was there before is lost.
    pub fn write_at(&self, path: &Path, offset: u64, bytes: &[u8]) {
        self.check_thread();
        let name = CString::new(path.as_os_str().as_encoded_bytes()).expect("a path has no zero byte");
        // SAFETY: the name ends with a zero byte, and there are as many bytes as the slice has.
        let code = unsafe { cw_write_at(name.as_ptr(), offset, bytes.as_ptr().cast(), bytes.len() as u64) };
        done(code, &format!("writing {}", path.display()));
    }

    /// Reads the words of a part of a file that begins at `offset`, for this rank alone.
    pub fn read_at(&self, path: &Path, offset: u64, words: &mut [u64]) -> Result<(), String> {
        // SAFETY: there is room for as many bytes as the slice has, and any bytes are words.
        unsafe { self.read_raw(path, offset, words.as_mut_ptr().cast(), size_of_val(words)) }?;
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        Ok(())
    }

    /// The same for bytes.
    pub fn read_bytes_at(&self, path: &Path, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        // SAFETY: there is room for as many bytes as the slice has.
        unsafe { self.read_raw(path, offset, bytes.as_mut_ptr().cast(), bytes.len()) }
    }

    /// # Safety
    ///
    /// There is room for `n` bytes.
    unsafe fn read_raw(&self, path: &Path, offset: u64, bytes: *mut c_void, n: usize) -> Result<(), String> {
        self.check_thread();
        let name = CString::new(path.as_os_str().as_encoded_bytes()).expect("a path has no zero byte");
        // SAFETY: the name ends with a zero byte, and the caller has the room.
        let code = unsafe { cw_read_at(name.as_ptr(), offset, bytes, n as u64) };
        if code == 0 {
            return Ok(());
        }
        let mut text = [0u8; 1024];
        // SAFETY: the text has room for 1024 bytes, and ends with a zero byte.
        unsafe { cw_error_text(code, text.as_mut_ptr().cast()) };
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        Err(format!("{}: {}", path.display(), String::from_utf8_lossy(text)))
    }

    fn check_thread(&self) {
        assert!(std::thread::current().id() == self.thread, "one thread talks to MPI");
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // SAFETY: halos borrow the job, so none is left.
        unsafe { cw_finalize() };
    }
}

/// Fetches what other ranks know of their states: a `PetscSF`.
pub struct Halo<'j> {
    raw: *mut RawHalo,
    job: &'j Job,
    n_own: usize,
    n_ghosts: usize,
}

// SAFETY: as of a job.
unsafe impl Sync for Halo<'_> {}

impl<'j> Halo<'j> {
    /// For a rank with `n_own` states, whose ghosts have these positions among the states of all ranks, in the order of ranks.
    pub fn new(job: &'j Job, n_own: usize, ghosts: &[u64]) -> Halo<'j> {
        job.check_thread();
        let mut raw = std::ptr::null_mut();
        // SAFETY: as many ghosts as the slice has, which are copied.
        let code = unsafe { cw_halo_create(n_own as i64, ghosts.len() as i64, ghosts.as_ptr(), &mut raw) };
        done(code, "PetscSFSetGraphLayout");
        Halo { raw, job, n_own, n_ghosts: ghosts.len() }
    }

    /// How many ghosts there are.
    pub fn n_ghosts(&self) -> usize {
        self.n_ghosts
    }

    /// Fetches `width` numbers for each ghost. They stand side by side, those of own states first.
    pub fn fetch(&self, values: &mut [f64], width: usize) {
        assert_eq!(values.len(), (self.n_own + self.n_ghosts) * width, "room for own states and ghosts");
        self.move_words(values.as_mut_ptr(), width);
    }

    /// The same for one integer a state: words are moved, whatever they mean.
    pub fn fetch_integers(&self, values: &mut [u64]) {
        assert_eq!(values.len(), self.n_own + self.n_ghosts, "room for own states and ghosts");
        self.move_words(values.as_mut_ptr().cast(), 1);
    }

    fn move_words(&self, values: *mut f64, width: usize) {
        self.job.check_thread();
        // SAFETY: the callers have room for own states and ghosts, which do not overlap.
        let code = unsafe { cw_halo_fetch(self.raw, width as i64, values, values.add(self.n_own * width)) };
        done(code, "PetscSFBcast");
    }
}

impl Drop for Halo<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and dropped once.
        unsafe { cw_halo_destroy(self.raw) };
    }
}

/// A matrix of PETSc's own (`MatMPIAIJ`), and its Krylov solver: for a second opinion on what commonweal computes without them.
pub struct Matrix<'j> {
    raw: *mut RawMatrix,
    job: &'j Job,
    n_rows: usize,
    n_columns: usize,
}

impl<'j> Matrix<'j> {
    /// The rank's own rows, which it adds to those of the ranks before it: their columns and entries, and where each row begins
    /// among these. Of the columns the rank owns `n_columns`.
    pub fn new(job: &'j Job, n_columns: usize, rows: &[Vec<(u64, f64)>]) -> Matrix<'j> {
        job.check_thread();
        let mut first = vec![0u64];
        let (mut columns, mut entries) = (Vec::new(), Vec::new());
        for row in rows {
            let mut row = row.clone();
            row.sort_unstable_by_key(|entry| entry.0);
            columns.extend(row.iter().map(|entry| entry.0));
            entries.extend(row.iter().map(|entry| entry.1));
            first.push(columns.len() as u64);
        }
        let mut raw = std::ptr::null_mut();
        let (n_rows, arrays) = (rows.len(), (first.as_ptr(), columns.as_ptr(), entries.as_ptr()));
        // SAFETY: a beginning for each row and an end, and as many columns as entries, all of which are copied.
        let code = unsafe { cw_matrix_create(n_rows as i64, n_columns as i64, arrays.0, arrays.1, arrays.2, &mut raw) };
        done(code, "MatCreateMPIAIJWithArrays");
        Matrix { raw, job, n_rows, n_columns }
    }

    /// The product with a vector, of which each rank has its part.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        self.job.check_thread();
        assert_eq!(x.len(), self.n_columns, "a number for each column");
        let mut y = vec![0.0; self.n_rows];
        // SAFETY: as many numbers as columns, and as rows.
        done(unsafe { cw_matrix_apply(self.raw, x.as_ptr(), y.as_mut_ptr()) }, "MatMult");
        y
    }

    /// The vector whose product is nearly `y`.
    pub fn solve(&self, y: &[f64]) -> Vec<f64> {
        self.job.check_thread();
        assert_eq!(y.len(), self.n_rows, "a number for each row");
        let mut x = vec![0.0; self.n_columns];
        // SAFETY: as many numbers as columns, and as rows.
        done(unsafe { cw_matrix_solve(self.raw, x.as_mut_ptr(), y.as_ptr()) }, "KSPSolve");
        x
    }
}

impl Drop for Matrix<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and dropped once.
        unsafe { cw_matrix_destroy(self.raw) };
    }
}
