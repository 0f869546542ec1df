//! The machine of the experiments: enough to judge the times, without identifying it.

use crate::lab::Lab;

/// What and its value, in the report's order.
pub fn facts(lab: &Lab) -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or("unknown".to_owned(), |n| n.to_string());
    let memory = memory_bytes().map_or("unknown".to_owned(), |bytes| format!("{:.0} GB", bytes as f64 / 1e9));
    let baseline = match &lab.baseline {
        Ok(baseline) => format!("{}, one thread", baseline.versions),
        Err(why) => format!("not run: {why}"),
    };
    let mut facts = vec![
        ("Program", format!("commonweal {}", env!("CARGO_PKG_VERSION"))),
        ("Sizes", if lab.is_quick() { "quick" } else { "full" }.to_owned()),
        ("Seed", lab.seed().to_string()),
    ];
    if lab.is_timed() {
        let system = format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH);
        facts.extend([("Cores", cores), ("Memory", memory), ("System", system)]);
    }
    facts.push(("Baseline", baseline));
    facts
}

/// The machine's memory, where the system tells.
fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
