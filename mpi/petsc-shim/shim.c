/* All that commonweal uses of PETSc and MPI, as plain C that hides MPI_Comm, MPI_Datatype and PetscInt. Every function returns
 * 0 or an error code; the caller ends the job on any other. A count that MPI has as an int is checked before it is cast. */
#include <limits.h>
#include <malloc.h>
#include <petscksp.h>
#include <petscsf.h>
#include <stdio.h>
#include <signal.h>
#include <stdint.h>

_Static_assert(sizeof(PetscScalar) == sizeof(double), "a PETSc of real doubles");
_Static_assert(MPI_MAX_ERROR_STRING <= 1024, "room for the text of an error");
_Static_assert(sizeof(MPI_Offset) == 8, "files beyond 2 GiB");

#define COMM PETSC_COMM_WORLD
enum { TOO_MANY = 9001, ENDS_EARLY = 9002 };

/* ---- The job. */
int cw_init(void) {
  /* PETSc takes options from PETSC_OPTIONS, and leaves the command line to its owner. */
  PetscCall(PetscInitializeNoArguments());
  PetscCall(PetscPushErrorHandler(PetscMPIAbortErrorHandler, NULL));
  /* Libraries of MPI may have told the allocator to keep all it is given. Large blocks go back to the system. */
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_MMAP_MAX, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  return 0;
}
int cw_finalize(void) { return PetscFinalize(); }
int cw_rank(void) {
  int rank = 0;
  MPI_Comm_rank(COMM, &rank);
  return rank;
}
int cw_size(void) {
  int size = 1;
  MPI_Comm_size(COMM, &size);
  return size;
}
int cw_index_bytes(void) { return (int)sizeof(PetscInt); }
void cw_abort(int code) { MPI_Abort(COMM, code); }

/* ---- Signals that ask to stop. */
static volatile sig_atomic_t raised = 0;
static void on_signal(int signal) {
  (void)signal;
  raised = 1;
}
void cw_listen(void) {
  int signals[] = {SIGINT, SIGTERM, SIGUSR1};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  for (int i = 0; i < 3; i++) sigaction(signals[i], &action, NULL);
}
int cw_raised(void) { return raised; }

/* ---- Numbers of all ranks. */
int cw_greatest(double *x, int64_t n) {
  if (n > INT_MAX) return TOO_MANY;
  return MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_DOUBLE, MPI_MAX, COMM);
}
int cw_sum(uint64_t *x) { return MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_UINT64_T, MPI_SUM, COMM); }
/* What the ranks before this one add up to. */
int cw_before(uint64_t own, uint64_t *before) {
  *before = 0;
  int error = MPI_Exscan(&own, before, 1, MPI_UINT64_T, MPI_SUM, COMM);
  if (cw_rank() == 0) *before = 0;
  return error;
}
/* How many numbers each rank has. */
int cw_counts(int64_t own, int64_t *all) { return MPI_Allgather(&own, 1, MPI_INT64_T, all, 1, MPI_INT64_T, COMM); }
/* The numbers of all ranks in the order of the ranks, given how many each has. */
int cw_gather(const double *own, const int64_t *counts, double *all) {
  int size = cw_size(), error;
  int64_t total = 0;
  int *n, *first;
  PetscCall(PetscMalloc2(size, &n, size, &first));
  for (int rank = 0; rank < size; rank++) {
    if (counts[rank] > INT_MAX || total > INT_MAX) return TOO_MANY;
    n[rank] = (int)counts[rank];
    first[rank] = (int)total;
    total += counts[rank];
  }
  error = MPI_Allgatherv(own, n[cw_rank()], MPI_DOUBLE, all, n, first, MPI_DOUBLE, COMM);
  PetscCall(PetscFree2(n, first));
  return error;
}

/* ---- Values of states that other ranks own: a star forest whose roots are all states, by rank, and whose leaves are ghosts. */
enum { UNITS = 16 };
typedef struct {
  PetscSF forest;
  MPI_Datatype unit[UNITS + 1];
} cw_halo;

int cw_halo_create(int64_t n_own, int64_t n_ghosts, const uint64_t *ghosts, cw_halo **out) {
  cw_halo *halo;
  PetscLayout layout;
  PetscInt *positions;
  if (n_own > PETSC_MAX_INT || n_ghosts > PETSC_MAX_INT) return TOO_MANY;
  PetscCall(PetscNew(&halo));
  PetscCall(PetscLayoutCreate(COMM, &layout));
  PetscCall(PetscLayoutSetLocalSize(layout, (PetscInt)n_own));
  PetscCall(PetscLayoutSetUp(layout));
  PetscCall(PetscMalloc1(n_ghosts, &positions));
  for (int64_t i = 0; i < n_ghosts; i++) {
    if (ghosts[i] > (uint64_t)PETSC_MAX_INT) return TOO_MANY;
    positions[i] = (PetscInt)ghosts[i];
  }
  PetscCall(PetscSFCreate(COMM, &halo->forest));
  PetscCall(PetscSFSetFromOptions(halo->forest));
  PetscCall(PetscSFSetGraphLayout(halo->forest, layout, (PetscInt)n_ghosts, NULL, PETSC_OWN_POINTER, positions));
  PetscCall(PetscSFSetUp(halo->forest));
  PetscCall(PetscFree(positions));
  PetscCall(PetscLayoutDestroy(&layout));
  for (int width = 1; width <= UNITS; width++) {
    MPI_Type_contiguous(width, MPI_DOUBLE, &halo->unit[width]);
    MPI_Type_commit(&halo->unit[width]);
  }
  *out = halo;
  return 0;
}
/* `width` numbers a state, which are moved as they are. */
int cw_halo_fetch(cw_halo *halo, int64_t width, const double *own, double *ghosts) {
  MPI_Datatype unit;
  if (width < 1 || width > INT_MAX) return TOO_MANY;
  if (width <= UNITS) unit = halo->unit[width];
  else {
    MPI_Type_contiguous((int)width, MPI_DOUBLE, &unit);
    MPI_Type_commit(&unit);
  }
  PetscCall(PetscSFBcastBegin(halo->forest, unit, own, ghosts, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(halo->forest, unit, own, ghosts, MPI_REPLACE));
  if (width > UNITS) MPI_Type_free(&unit);
  return 0;
}
int cw_halo_destroy(cw_halo *halo) {
  for (int width = 1; width <= UNITS; width++) MPI_Type_free(&halo->unit[width]);
  PetscCall(PetscSFDestroy(&halo->forest));
  PetscCall(PetscFree(halo));
  return 0;
}

/* ---- A second opinion: rows as a matrix of PETSc's own, and its Krylov solver. Solvers of commonweal use neither. */
/* Rank by rank its rows; the columns are cut as the numbers are that rows are multiplied with. */
int cw_matrix_create(int64_t n_rows, int64_t n_columns, const uint64_t *first, const uint64_t *columns, const double *entries, Mat *out) {
  PetscInt *i, *j;
  uint64_t n_entries = first[n_rows];
  if (n_rows >= PETSC_MAX_INT || n_columns > PETSC_MAX_INT || n_entries > (uint64_t)PETSC_MAX_INT) return TOO_MANY;
  PetscCall(PetscMalloc2(n_rows + 1, &i, n_entries, &j));
  for (int64_t row = 0; row <= n_rows; row++) i[row] = (PetscInt)first[row];
  for (uint64_t entry = 0; entry < n_entries; entry++) {
    if (columns[entry] > (uint64_t)PETSC_MAX_INT) return TOO_MANY;
    j[entry] = (PetscInt)columns[entry];
  }
  PetscCall(MatCreateMPIAIJWithArrays(COMM, (PetscInt)n_rows, (PetscInt)n_columns, PETSC_DETERMINE, PETSC_DETERMINE, i, j, entries, out));
  PetscCall(PetscFree2(i, j));
  return 0;
}
/* Vectors that are the caller's numbers. */
static int vectors(Mat matrix, const double *x, const double *y, Vec *of_columns, Vec *of_rows) {
  PetscInt n_rows, n_columns;
  PetscCall(MatGetLocalSize(matrix, &n_rows, &n_columns));
  PetscCall(VecCreateMPIWithArray(COMM, 1, n_columns, PETSC_DETERMINE, x, of_columns));
  PetscCall(VecCreateMPIWithArray(COMM, 1, n_rows, PETSC_DETERMINE, y, of_rows));
  return 0;
}
int cw_matrix_apply(Mat matrix, const double *x, double *y) {
  Vec of_columns, of_rows;
  PetscCall(vectors(matrix, x, y, &of_columns, &of_rows));
  PetscCall(MatMult(matrix, of_columns, of_rows));
  PetscCall(VecDestroy(&of_columns));
  PetscCall(VecDestroy(&of_rows));
  return 0;
}
/* `x` with matrix · x = y, to about 10 digits more than the vector 0 has. */
int cw_matrix_solve(Mat matrix, double *x, const double *y) {
  Vec of_columns, of_rows;
  KSP solver;
  PetscCall(vectors(matrix, x, y, &of_columns, &of_rows));
  PetscCall(KSPCreate(COMM, &solver));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, of_rows, of_columns));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&of_columns));
  PetscCall(VecDestroy(&of_rows));
  return 0;
}
int cw_matrix_destroy(Mat matrix) { return MatDestroy(&matrix); }

/* ---- Files that all ranks write at once, each its part, in pieces that fit an int. */
#define PIECE ((uint64_t)1 << 28)
int cw_write_at(const char *path, uint64_t offset, const void *bytes, uint64_t n) {
  MPI_File file;
  uint64_t most = n;
  int error = MPI_File_open(COMM, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  if (error) return error;
  error = MPI_File_set_size(file, 0);
  if (error) return error;
  error = MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, COMM);
  for (uint64_t at = 0; !error && at < most; at += PIECE) {
    uint64_t left = at < n ? n - at : 0;
    int count = (int)(left < PIECE ? left : PIECE);
    const char *piece = (const char *)bytes + (at < n ? at : 0);
    error = MPI_File_write_at_all(file, (MPI_Offset)(offset + at), piece, count, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  if (!error) error = MPI_File_sync(file);
  if (!error) error = MPI_File_close(&file);
  return error;
}
/* Reads part of a file, for this rank alone. A file that ends before is an error. */
int cw_read_at(const char *path, uint64_t offset, void *bytes, uint64_t n) {
  MPI_File file;
  int error = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (error) return error;
  for (uint64_t at = 0; !error && at < n; at += PIECE) {
    MPI_Status status;
    int count = (int)(n - at < PIECE ? n - at : PIECE), got = 0;
    error = MPI_File_read_at(file, (MPI_Offset)(offset + at), (char *)bytes + at, count, MPI_BYTE, &status);
    if (!error) error = MPI_Get_count(&status, MPI_BYTE, &got);
    if (!error && got != count) error = ENDS_EARLY;
  }
  int closing = MPI_File_close(&file);
  return error ? error : closing;
}
/* What an error code means. `text` has room for 1024 bytes. */
void cw_error_text(int code, char *text) {
  int length = 0;
  if (code == ENDS_EARLY) snprintf(text, 1024, "the file ends early");
  else if (MPI_Error_string(code, text, &length)) snprintf(text, 1024, "code %d", code);
}
