//! Experiments through the public names: what is kept, what is told on the way, and how a run ends early.

use commonweal::StopSignal;
use commonweal_experiments::{Archive, ArchiveError, Error, Experiment, Lab, Settings, Verdict};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An archive in memory, shared with the test.
#[derive(Default, Clone)]
struct Shelf(Rc<RefCell<BTreeMap<String, String>>>);

impl Archive for Shelf {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.0.borrow().get(name).map(|text| text.clone().into_bytes())
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ArchiveError> {
        self.0.borrow_mut().insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    fn append(&self, name: &str, text: &str) -> Result<(), ArchiveError> {
        self.0.borrow_mut().get_mut(name).ok_or("no such name")?.push_str(text);
        Ok(())
    }
}

/// An archive that is full.
struct Full;

impl Archive for Full {
    fn read(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn write(&self, name: &str, _: &str) -> Result<(), ArchiveError> {
        Err(format!("no room for {name}").into())
    }

    fn append(&self, name: &str, _: &str) -> Result<(), ArchiveError> {
        Err(format!("no room for {name}").into())
    }
}

fn untimed() -> Settings {
    Settings { is_timed: false, ..Settings::default() }
}

#[test]
fn tables_pictures_and_the_page_are_kept_and_every_model_is_told() {
    let (shelf, told) = (Shelf::default(), Rc::new(RefCell::new(Vec::new())));
    let heard = told.clone();
    let mut lab = Lab::new(untimed())
        .with_archive(shelf.clone())
        .with_progress(move |progress| heard.borrow_mut().push((progress.done, progress.of)));
    let reproduction = Experiment::Spacing.run(&mut lab).unwrap();
    assert_eq!(reproduction.count(Verdict::Differs), 0);
    assert_eq!(*told.borrow(), (0..=9).map(|done| (done, 9)).collect::<Vec<_>>());
    let names: Vec<String> = shelf.0.borrow().keys().cloned().collect();
    assert_eq!(names, ["report.html", "spacing.csv", "spacing.svg"]);
    // The picture of the page is that of the file.
    assert!(shelf.0.borrow()["report.html"].contains(&shelf.0.borrow()["spacing.svg"]));
}

#[test]
fn a_raised_signal_ends_a_run_before_its_first_row() {
    let settings = Settings { stop: StopSignal::default(), ..untimed() };
    settings.stop.raise();
    let shelf = Shelf::default();
    let ended = Experiment::Spacing.run(&mut Lab::new(settings).with_archive(shelf.clone()));
    assert!(matches!(ended, Err(Error::Stopped(_))));
    assert_eq!(shelf.0.borrow()["spacing.csv"].lines().count(), 2, "no row");
}

#[test]
fn what_cannot_be_kept_is_an_error_in_the_words_of_the_archive() {
    let ended = Experiment::Figure1.run(&mut Lab::new(untimed()).with_archive(Full));
    let Err(error @ Error::Archive(_)) = ended else { panic!("the archive is full") };
    assert_eq!(error.to_string(), "no room for figure-1-payoffs.csv");
}

#[test]
fn without_an_interpreter_the_reason_is_told() {
    let lab = Lab::new(Settings { python: Some("no-such-python".to_owned()), ..untimed() });
    assert!(lab.baseline_failure().unwrap().starts_with("cannot run no-such-python: "));
    assert_eq!(Lab::new(untimed()).baseline_failure(), None);
}

#[test]
fn experiments_have_distinct_names_and_a_line_each() {
    let mut names = Experiment::EACH.map(Experiment::name).to_vec();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), Experiment::EACH.len());
    assert!(Experiment::EACH.iter().all(|experiment| !experiment.about().contains('\n')));
}
