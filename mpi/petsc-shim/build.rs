//! One C file, compiled by `mpicc` against the PETSc that pkg-config names: `PETSC=petsc64` unless told otherwise. The C
//! compiler checks every call against the installed headers, so nothing has to be generated from them.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    for name in ["PETSC", "MPICC", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=shim.c");
    let petsc = env::var("PETSC").unwrap_or_else(|_| "petsc64".to_owned());
    let mpicc = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let folder = PathBuf::from(env::var("OUT_DIR").expect("cargo says where to build"));
    let flags = said("pkg-config", &["--cflags", &petsc]);
    let object = folder.join("shim.o");
    let mut compile = Command::new(&mpicc);
    compile.args(["-std=gnu11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", "shim.c", "-o"]).arg(&object);
    run(compile.args(flags.split_whitespace()));
    let library = folder.join("libcommonweal_petsc.a");
    run(Command::new("ar").arg("crs").arg(&library).arg(&object));
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=commonweal_petsc");
    // What mpicc would link is what it says; where libraries are is also where they are found when the program starts.
    let linked = said("pkg-config", &["--libs", &petsc]) + " " + &said(&mpicc, &["-show"]);
    for word in linked.split_whitespace() {
        if let Some(path) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={path}");
        } else if let Some(library) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        }
    }
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}; docs/distributed.md says what to install"));
    let hint = "docs/distributed.md says what to install";
    assert!(
        output.status.success(),
        "{program} {}: {}; {hint}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}");
}
