//! What fails on one rank fails on all, with one message.

use petsc_shim::Job;

/// Some rank was refused something, and has said why.
#[derive(Debug)]
pub struct Refused;

/// The result, if no rank has an error. The first rank that has one prints it.
pub fn agreed<T>(job: &Job, result: anyhow::Result<T>) -> Result<T, Refused> {
    let failed = u64::from(result.is_err());
    let (before, n_failed) = (job.before(failed), job.sum(failed));
    match result {
        Ok(value) if n_failed == 0 => Ok(value),
        Ok(_) => Err(Refused),
        Err(error) => {
            if before == 0 {
                eprintln!("error: {error:#}");
            }
            Err(Refused)
        }
    }
}
