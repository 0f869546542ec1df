//! Termination signals, as `kill` and service managers send them.

use crate::program::{Folder, Ran};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal"));
    program.args(args).current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn terminate(child: &Child) {
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
}

/// Whether these tests run under `nohup`, where the program leaves ignored signals ignored.
fn under_nohup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    let is_ignored = u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 != 0;
    if is_ignored {
        eprintln!("skipped: hang-ups are ignored here");
    }
    is_ignored
}

/// The end of a simulation that would take for ever and gets signals after half a second, all at once.
fn simulation_that_gets(n_signals: usize) -> Ran {
    let folder = Folder::with_hotel();
    folder.write("mix.json", r#"{"format": "commonweal-strategy/1", "mix": {"s0": {"a": "3/4", "b": "1/4"}}}"#);
    let args = ["simulate", "hotel.yaml", "mix.json", "--runs", "1000000000000", "--json"];
    let child = start(&folder, &args);
    std::thread::sleep(Duration::from_millis(500));
    (0..n_signals).for_each(|_| terminate(&child));
    Ran::new(&args, child.wait_with_output().unwrap())
}

#[test]
fn a_computation_that_is_asked_to_end_prints_what_it_has() {
    if under_nohup() {
        return;
    }
    let ran = simulation_that_gets(1);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert_eq!((&ran.json()["status"], &ran.json()["reason"]), (&"stopped".into(), &"interrupted".into()));
}

/// `timeout` sends its signal to the program and then to the whole group.
#[test]
fn two_signals_at_once_are_one() {
    if under_nohup() {
        return;
    }
    let ran = simulation_that_gets(2);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert_eq!(ran.json()["reason"], "interrupted");
}

/// There are no bounds yet.
#[test]
fn a_model_that_is_still_read_is_left_at_once() {
    if under_nohup() {
        return;
    }
    let folder = Folder::new();
    for command in [&["solve", "-"][..], &["stationary", "-"], &["map", "-", "--x", "alice", "--y", "bob"]] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_commonweal"));
        program.args(command).current_dir(folder.path());
        let program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The text never ends.
        let mut child = program.spawn().unwrap();
        let text = child.stdin.take();
        std::thread::sleep(Duration::from_millis(500));
        terminate(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{command:?}");
        drop(text);
    }
}

#[test]
fn a_file_that_is_being_written_is_removed() {
    if under_nohup() {
        return;
    }
    let folder = Folder::new();
    // Some hundred thousand states to compress: writing takes seconds.
    let child = start(&folder, &["generate", "band", "--states", "400000", "--discounts", "0.9", "--out", "m.drn.gz"]);
    let began = Instant::now();
    while !folder.files().iter().any(|name| name.ends_with(".part")) {
        assert!(began.elapsed() < Duration::from_secs(60), "no file is being written");
        std::thread::sleep(Duration::from_millis(5));
    }
    terminate(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(folder.files(), Vec::<String>::new());
}

#[test]
fn a_second_signal_does_not_cut_what_is_being_printed() {
    if under_nohup() {
        return;
    }
    let folder = Folder::new();
    let args =
        ["generate", "random", "--states", "400", "--discounts", "0.5,0.4", "--successors", "1", "--out", "m.yaml"];
    assert_eq!(folder.run(&args).code, 0);
    // More than a pipe holds: the program waits for its reader in the middle of the document.
    let mut child = start(&folder, &["solve", "m.yaml", "--json", "--all-states"]);
    let mut out = child.stdout.take().unwrap();
    let mut text = vec![0];
    out.read_exact(&mut text).unwrap();
    terminate(&child);
    std::thread::sleep(Duration::from_millis(50));
    terminate(&child);
    std::thread::sleep(Duration::from_millis(200));
    out.read_to_end(&mut text).unwrap();
    child.wait().unwrap();
    assert!(text.len() > 1 << 17, "{} bytes fit into a pipe: the test proves nothing", text.len());
    serde_json::from_slice::<serde_json::Value>(&text).expect("a whole document");
}
