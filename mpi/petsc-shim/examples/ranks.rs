//! What a test of ranks needs and a solver does not show: `mpirun -n 5 ranks halo`, `ranks panic`, `ranks nan`.

use petsc_shim::{Halo, Job};

fn main() {
    let job = Job::begin();
    match std::env::args().nth(1).as_deref() {
        Some("halo") => halo(&job),
        Some("panic") if job.rank() == 1 => panic!("one rank panics"),
        Some("nan") => job.greatest(&mut [if job.rank() == 1 { f64::NAN } else { 0.0 }]),
        _ => {}
    }
    // The others wait here for a rank that does not come.
    job.sum(1);
    println!("done");
}

/// Five ranks of 2^30 states each: the last ones have numbers beyond 2^32. Only pages that are written take memory.
fn halo(job: &Job) {
    const OWN: usize = 1 << 30;
    let n_states = (OWN * job.size()) as u64;
    assert!(n_states > 1 << 32, "five ranks");
    let own = (OWN * job.rank()) as u64..(OWN * (job.rank() + 1)) as u64;
    let is_foreign = |state: &u64| !own.contains(state);
    let ghosts: Vec<u64> =
        [5, (1 << 32) - 1, 1 << 32, (1 << 32) + 7, n_states - 1].into_iter().filter(is_foreign).collect();
    let halo = Halo::new(job, OWN, &ghosts);
    let mut values = vec![0u64; OWN + ghosts.len()];
    for state in
        [5, (1 << 32) - 1, 1 << 32, (1 << 32) + 7, n_states - 1].into_iter().filter(|state| own.contains(state))
    {
        values[(state - own.start) as usize] = state + 1;
    }
    halo.fetch_integers(&mut values);
    for (ghost, value) in ghosts.iter().zip(&values[OWN..]) {
        assert_eq!(*value, ghost + 1, "ghost {ghost}");
    }
}
