//! `commonweal serve [MODEL]`

use crate::args::ServeArgs;
use crate::certify::{self, Checked};
use crate::report::csv::Csv;
use crate::report::front;
use crate::report::note;
use crate::report::page::Page;
use crate::report::pictures::{Drawn, gains, payoffs, timeline};
use crate::strategy_map::{region_map, sketched_map};
use crate::{input, model_file, output, signals};
use anyhow::Context;
use commonweal::files::Format;
use commonweal::questions::{Front, FrontOptions, PayoffSet, compare, front_gap, front_in, own_best};
use commonweal::{Answer, Engine, Model, Options, StopSignal};
use commonweal_charts::Picture;
use commonweal_server::{Ending, Limits, Opened, Pictured, Problem, Program, Server};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

pub fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let opened = opened(args)?;
    let mut limits = Limits::default();
    if let Some(time) = args.time_limit {
        limits.time = time;
    }
    if let Some(threads) = args.threads {
        limits.threads = threads.into();
    }
    let server = bound(args)?;
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

/// The port of the explorer unless another one is asked for: a link that was shared leads to the next explorer too.
const PORT: u16 = 8734;

fn bound(args: &ServeArgs) -> anyhow::Result<Server> {
    match args.port {
        None => match Server::bind(PORT) {
            Ok(server) => Ok(server),
            Err(_) => {
                if !args.quiet {
                    note(&format!("port {PORT} is taken, so that links from here lead to this run alone"));
                }
                Server::bind(0).context("cannot listen on any port of this machine")
            }
        },
        Some(0) => Server::bind(0).context("cannot listen on any port of this machine"),
        Some(port) => Server::bind(port)
            .with_context(|| format!("cannot listen on port {port}; another program may have it, try another --port")),
    }
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

/// The report of a larger model has no comparison, no front and no text of the model.
const MOST_REPORTED: usize = 200;

/// What `work` has after a few seconds of the time that a request has: a report lacks what takes longer, and is there.
fn at_most<T>(stop: &StopSignal, work: impl FnOnce(&StopSignal) -> T) -> T {
    const SHARE: Duration = Duration::from_secs(8);
    const PULSE: Duration = Duration::from_millis(20);
    let own = StopSignal::after(SHARE);
    let (is_working, ended) = channel::<()>();
    let relay = own.clone();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The other end is dropped when the work is done, or has panicked.
            while ended.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
                if stop.reason().is_some() {
                    relay.raise();
                }
            }
        });
        let _is_working = is_working;
        work(&own)
    })
}

/// The front of two principals as a picture, if its ends are found.
fn front_picture(model: &Model, stop: &StopSignal) -> Option<String> {
    let options = Options { stop: stop.clone(), ..Options::default() };
    let set = PayoffSet::new(model, &options);
    let axes = [0.into(), 1.into()];
    // As many vertices as the explorer shows, so that there is time for the rules' points too.
    let limits = FrontOptions { gap: front_gap(&set, Some(axes), None), vertex_limit: 24, ..FrontOptions::default() };
    let found = front_in(&set, axes, &limits).ok()?;
    Some(front::chart(&set, &found).svg())
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

    fn comparison_csv(&self, model: &Model, answer: &Answer, stop: &StopSignal) -> String {
        Csv::of_comparison(model.structure(), &compare(model, answer, stop).strategies)
    }

    fn front_csv(&self, model: &Model, front: &Front) -> String {
        front::csv(model.structure(), &front.vertices)
    }

    fn report(&self, name: &str, model: &Model, answer: &Answer, stop: &StopSignal) -> String {
        let is_small = model.n_states() <= MOST_REPORTED;
        let comparison = is_small.then(|| at_most(stop, |stop| compare(model, answer, stop)));
        let front =
            (is_small && model.n_principals() == 2).then(|| at_most(stop, |stop| front_picture(model, stop))).flatten();
        let text = is_small.then(|| model.to_yaml().ok()).flatten();
        let certified = certify::certify(model, answer, None, stop);
        let checked = certified.map_or_else(|error| error.to_string(), |certified| certified.checked.in_words());
        let own_best = own_best(model, answer, stop);
        let page = Page {
            file: Path::new(name),
            model,
            answer,
            own_best: Some(&own_best),
            comparison: comparison.as_ref(),
            outlook: None,
            front: front.as_deref(),
            text: text.as_deref(),
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
            Pictured::Sketch { model, axes, grid, regions } => {
                sketched_map(model.structure(), *axes, grid, regions).picture()
            }
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
