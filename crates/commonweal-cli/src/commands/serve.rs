//! `commonweal serve [MODEL]`

use crate::args::ServeArgs;
use crate::certify::{self, Checked};
use crate::report::csv::Csv;
use crate::report::front;
use crate::report::note;
use crate::report::page::Page;
use crate::report::pictures::{Drawn, gains, payoffs, timeline};
use crate::strategy_map::region_map;
use crate::{input, model_file, output, signals};
use anyhow::Context;
use commonweal::files::Format;
use commonweal::questions::own_best;
use commonweal::{Answer, Engine, Model, StopSignal};
use commonweal_charts::Picture;
use commonweal_server::{Ending, Limits, Opened, Pictured, Problem, Program, Server};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

pub fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let opened = opened(args)?;
    let mut limits = Limits::default();
    if let Some(time) = args.time_limit {
        limits.time = time;
    }
    if let Some(threads) = args.threads {
        limits.threads = threads.into();
    }
    let server = Server::bind(args.port).with_context(|| match args.port {
        0 => "cannot listen on any port of this machine".to_owned(),
        port => format!("cannot listen on port {port}; another program may have it, try another --port"),
    })?;
    let stop = StopSignal::default();
    signals::raise_on_signal(&stop);
    output::print(&format!("http://{}\n", server.address()))?;
    if !args.quiet {
        note("the explorer is at this address until Ctrl-C; only this machine can reach it");
    }
    if !args.no_open {
        open(server.address());
    }
    server.run(Arc::new(Commonweal), opened, limits, args.quiet, &stop);
    Ok(ExitCode::SUCCESS)
}

/// The model that the page opens with. A YAML file is passed unchanged, errors included: the page shows where they are.
fn opened(args: &ServeArgs) -> anyhow::Result<Opened> {
    let Some(path) = &args.model else { return Ok(Opened::default()) };
    let name = path.file_stem().map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let file = model_file::open(path)?;
    let changes = &args.changes;
    let is_changed = changes.from.is_some()
        || changes.discounts.is_some()
        || [&changes.discount, &changes.weight, &changes.minimise].iter().any(|list| !list.is_empty());
    if file.format() == Format::Yaml && !is_changed && path.as_os_str() != "-" {
        let text = String::from_utf8(model_file::file(path)?);
        return Ok(Opened { name, model: text.with_context(|| format!("{} is not UTF-8", path.display()))? });
    }
    let model = input::changed(&file, changes, Engine::Exact, args.quiet)?;
    Ok(Opened { name, model: model.to_yaml()? })
}

/// Opens the page in the browser, if there is a program that does so.
fn open(address: SocketAddr) {
    let address = format!("http://{address}");
    let (program, args): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = || Stdio::null();
    let started = Command::new(program).args(args).arg(&address).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    if started.is_err() {
        note(&format!("open {address} in a browser"));
    }
}

/// This program's implementation of the server's trait.
struct Commonweal;

impl Program for Commonweal {
    fn accepts(&self, model: &Model, answer: &Answer) -> bool {
        let certified = certify::certify(model, answer, None, &StopSignal::default());
        certified.is_ok_and(|certified| matches!(certified.checked, Checked::Yes))
    }

    fn csv(&self, model: &Model, answer: &Answer, stop: &StopSignal) -> String {
        Csv::of_answer(model.structure(), answer, &own_best(model, answer, stop), &[model.start()])
    }

    fn report(&self, name: &str, model: &Model, answer: &Answer, stop: &StopSignal) -> String {
        let certified = certify::certify(model, answer, None, stop);
        let checked = certified.map_or_else(|error| error.to_string(), |certified| certified.checked.in_words());
        let own_best = own_best(model, answer, stop);
        let page = Page {
            file: Path::new(name),
            model,
            answer,
            own_best: Some(&own_best),
            comparison: None,
            outlook: None,
            checked: &checked,
            stop,
        };
        page.html()
    }

    fn picture(&self, pictured: &Pictured, ending: Ending) -> Result<Vec<u8>, Problem> {
        let picture: Picture = match pictured {
            Pictured::Timeline { model, answer } => {
                timeline(model.structure(), &Drawn::answer(model.structure(), answer)).picture()
            }
            Pictured::Payoffs { model, answer } => {
                let chart = payoffs(model, &Drawn::answer(model.structure(), answer));
                chart.map_err(|error| Problem::unprocessable(error.to_string()))?.picture()
            }
            Pictured::Gains { model, answer, stop } => {
                let drawn = Drawn::answer(model.structure(), answer);
                gains(model.structure(), &drawn, Some(&own_best(model, answer, stop))).picture()
            }
            Pictured::Map { model, map, classes } => region_map(model.structure(), map, classes).picture(),
            Pictured::Front { set, front } => front::chart(set, front).picture(),
        };
        /// Pixels of a PNG for each of the SVG.
        const SCALE: u32 = 2;
        Ok(match ending {
            Ending::Svg => picture.svg().into_bytes(),
            Ending::Png => picture.png(SCALE),
            Ending::Pdf => picture.pdf(),
        })
    }
}
