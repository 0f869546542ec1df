//! `commonweal completions SHELL` and `commonweal man [DIR]`: the command line's grammar for shells and for `man`.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output;
use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;
use std::process::ExitCode;

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "commonweal", &mut text);
    output::print(&String::from_utf8(text).context("completions are text")?)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page of the program, or writes one for the program and one for each command to a folder.
pub fn man(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut program = Cli::command();
    program.build();
    let Some(folder) = &args.folder else {
        output::print(&String::from_utf8(page(program)?).context("a manual page is text")?)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let commands: Vec<clap::Command> =
        program.get_subcommands().filter(|command| command.get_name() != "help").cloned().collect();
    for command in commands {
        let name = format!("commonweal-{}", command.get_name());
        let page = page(command.display_name(name.clone()))?;
        output::write_whole(&folder.join(format!("{name}.1")), |out| out.write_all(&page))?;
    }
    let page = page(program)?;
    output::write_whole(&folder.join("commonweal.1"), |out| out.write_all(&page))?;
    Ok(ExitCode::SUCCESS)
}

fn page(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).context("a manual page is written to memory")?;
    Ok(page)
}
