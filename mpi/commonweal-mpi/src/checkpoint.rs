//! Checkpoints: what the computation knows, in files, so that another job goes on from there, on any number of ranks.
//!
//! A checkpoint is a list of stages of the computation. Each has a folder with arrays of words of 64 bits, cut at no place that
//! depends on ranks. The list, `checkpoint.txt`, is moved into its place once all folders that it names are whole, and only then are
//! folders removed that it does not name: whenever a job is killed, there is a whole checkpoint, or none yet. The list has a sum over
//! every file, of which each rank computes a part.

use anyhow::{Context, anyhow, bail, ensure};
use commonweal::internals::model::OwnStates;
use commonweal::internals::ranks::{Archive, BLOCK, Moment, Resumable};
use petsc_shim::Job;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The list of stages, and the first line of it.
const LIST: &str = "checkpoint.txt";
const TITLE: &str = "commonweal checkpoint 1";

/// The checkpoints of a job.
pub struct Checkpoints<'a> {
    job: &'a Job,
    /// Where they are; `None` if none are kept.
    folder: Option<PathBuf>,
    /// The layers between two of them.
    every: u64,
    /// What they are of: a number that depends on the model and on all options that the answer depends on.
    of: u64,
    range: Range<u64>,
    n_states: u64,
    known: Mutex<Known>,
}

/// What is kept, and where the computation is.
#[derive(Default)]
struct Known {
    kept: Vec<Kept>,
    /// The number of the next folder.
    next: u64,
    n_long_terms: u64,
    n_walks: u64,
    /// Layers since the last checkpoint.
    since: u64,
}

/// A stage that is kept.
#[derive(Clone)]
struct Kept {
    name: String,
    /// The number of its folder.
    folder: u64,
    files: Vec<Sum>,
}

/// How many words a file has, and their sum.
#[derive(Clone, Copy, PartialEq)]
struct Sum {
    n_words: u64,
    sum: u64,
}

impl<'a> Checkpoints<'a> {
    /// Checkpoints every `every` layers in `folder`, of a model of which `own` are the own states.
    pub fn new(job: &'a Job, folder: Option<PathBuf>, every: u64, of: u64, own: &OwnStates) -> Checkpoints<'a> {
        let range = own.range.clone();
        let n_states = job.sum(range.end - range.start);
        Checkpoints { job, folder, every, of, range, n_states, known: Mutex::default() }
    }

    /// Goes on from the checkpoint in the folder, if it is whole, and of this model.
    pub fn restore(&self) -> anyhow::Result<()> {
        let folder = self.folder.as_deref().context("there is no folder")?;
        let list = folder.join(LIST);
        let text =
            std::fs::read_to_string(&list).with_context(|| format!("there is no checkpoint: {}", list.display()))?;
        let kept = self.parse(&text).with_context(|| list.display().to_string())?;
        let mut known = self.known.lock().expect("no thread has panicked");
        known.next = kept.iter().map(|kept| kept.folder + 1).max().unwrap_or(0);
        known.kept = kept;
        Ok(())
    }

    /// Reads all files of the checkpoint, each rank its part, and compares their sums.
    pub fn check(&self) -> anyhow::Result<()> {
        let folder = self.folder.as_deref().context("there is no folder")?;
        let kept = self.known.lock().expect("no thread has panicked").kept.clone();
        for kept in &kept {
            for (at, &expected) in kept.files.iter().enumerate() {
                let path = file(folder, kept.folder, at);
                let part = |rank: u64| expected.n_words * rank / self.job.size() as u64;
                let (rank, mut error) = (self.job.rank() as u64, None);
                let (begin, end) = (part(rank), part(rank + 1));
                let mut words = vec![0; (end - begin) as usize];
                let length = std::fs::metadata(&path).map(|data| data.len());
                if !length.is_ok_and(|length| length == 8 * expected.n_words) {
                    error = Some(format!("{} has another length", path.display()));
                } else if let Err(message) = self.job.read_at(&path, 8 * begin, &mut words) {
                    error = Some(message);
                }
                // All ranks take part, whatever they found.
                let sum = self.job.sum(sum_of(&words, begin));
                let n_errors = self.job.sum(error.is_some().into());
                if let Some(error) = error {
                    bail!("the checkpoint is damaged: {error}");
                }
                ensure!(n_errors == 0 && sum == expected.sum, "the checkpoint is damaged: {}", path.display());
            }
        }
        Ok(())
    }

    fn parse(&self, text: &str) -> anyhow::Result<Vec<Kept>> {
        let damaged = || anyhow!("the list of the checkpoint is damaged");
        let body = text.strip_suffix('\n').and_then(|text| text.rsplit_once('\n')).ok_or_else(damaged)?;
        ensure!(body.1 == last_line(body.0), damaged());
        let mut lines = body.0.lines();
        ensure!(lines.next() == Some(TITLE), "this is not a checkpoint that this program reads");
        ensure!(
            lines.next() == Some(&self.of_line()),
            "the checkpoint is of another model, or of other options (--gap, --layer-limit, --event-limit, --most-together)"
        );
        let mut kept: Vec<Kept> = Vec::new();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            match *words.as_slice() {
                ["stage", name, folder] => {
                    kept.push(Kept { name: name.to_owned(), folder: folder.parse()?, files: Vec::new() })
                }
                ["file", n_words, sum] => {
                    let sum = Sum { n_words: n_words.parse()?, sum: u64::from_str_radix(sum, 16)? };
                    kept.last_mut().ok_or_else(damaged)?.files.push(sum);
                }
                _ => return Err(damaged()),
            }
        }
        Ok(kept)
    }

    fn of_line(&self) -> String {
        format!("of {:016x}, {} states", self.of, self.n_states)
    }

    /// Whether checkpoints are kept.
    pub fn are_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// Begins a stage, and puts back what is known of it.
    pub fn resume(&self, stage: Resumable, load: &mut dyn FnMut(&mut dyn Archive)) -> bool {
        let Some(folder) = &self.folder else { return false };
        let kept = {
            let mut known = self.known.lock().expect("no thread has panicked");
            match stage {
                Resumable::LongTerm => known.n_long_terms += 1,
                Resumable::Optimum(_) => {}
                Resumable::Walk => known.n_walks += 1,
            }
            let name = known.name(stage);
            known.kept.iter().find(|kept| kept.name == name).cloned()
        };
        let Some(kept) = kept else { return false };
        load(&mut Loader { all: self, folder, kept: &kept, next: 0 });
        true
    }

    /// Keeps the state of a stage, if it is time.
    pub fn keep(&self, stage: Resumable, moment: Moment, save: &mut dyn FnMut(&mut dyn Archive)) {
        let Some(folder) = &self.folder else { return };
        let mut known = self.known.lock().expect("no thread has panicked");
        if (stage, moment) == (Resumable::Walk, Moment::Step) {
            known.since += 1;
            if known.since < self.every {
                return;
            }
        }
        known.since = 0;
        let (name, number) = (known.name(stage), known.next);
        known.next += 1;
        if self.job.rank() == 0
            && let Err(error) = std::fs::create_dir_all(folder.join(number.to_string()))
        {
            eprintln!("error: a checkpoint cannot be written: {}: {error}", folder.display());
            self.job.abort(2);
        }
        self.job.sum(0);
        let mut saver = Saver { all: self, folder, number, files: Vec::new() };
        save(&mut saver);
        let kept = Kept { name: name.clone(), folder: number, files: saver.files };
        // Once the long-term strategy is there, what led to it is not needed.
        let parts = format!("{name}.");
        known.kept.retain(|one| one.name != name && !one.name.starts_with(&parts));
        known.kept.push(kept);
        if self.job.rank() == 0
            && let Err(error) = self.move_list(folder, &known.kept)
        {
            eprintln!("error: a checkpoint cannot be written: {error:#}");
            self.job.abort(2);
        }
        self.job.sum(0);
    }

    /// Moves the new list into its place, and removes what it does not name.
    fn move_list(&self, folder: &Path, kept: &[Kept]) -> anyhow::Result<()> {
        let mut text = format!("{TITLE}\n{}", self.of_line());
        for kept in kept {
            write!(text, "\nstage {} {}", kept.name, kept.folder)?;
            for Sum { n_words, sum } in &kept.files {
                write!(text, "\nfile {n_words} {sum:016x}")?;
            }
        }
        let text = format!("{text}\n{}\n", last_line(&text));
        let (list, new) = (folder.join(LIST), folder.join("checkpoint.new"));
        let mut file = std::fs::File::create(&new)?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &list)?;
        std::fs::File::open(folder)?.sync_all()?;
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let number = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            if number.is_some_and(|number| kept.iter().all(|kept| kept.folder != number)) {
                std::fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes the checkpoint of a job that is done.
    pub fn remove(&self) -> anyhow::Result<()> {
        match &self.folder {
            Some(folder) if self.job.rank() == 0 && folder.exists() => {
                std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())
            }
            _ => Ok(()),
        }
    }
}

impl Known {
    /// What the stage that was begun last is called. Stages within a long-term strategy are called after it.
    fn name(&self, stage: Resumable) -> String {
        match stage {
            Resumable::LongTerm => format!("long-term-{}", self.n_long_terms),
            Resumable::Optimum(i) => format!("long-term-{}.{i}", self.n_long_terms),
            Resumable::Walk => format!("walk-{}", self.n_walks),
        }
    }
}

fn file(folder: &Path, number: u64, at: usize) -> PathBuf {
    folder.join(number.to_string()).join(format!("{at}.bin"))
}

fn last_line(text: &str) -> String {
    let bytes: Vec<u64> = text.bytes().map(u64::from).collect();
    format!("end {:016x}", sum_of(&bytes, 0))
}

/// A sum over words from position `begin` of a file on, which parts of the file can be added to in any order.
fn sum_of(words: &[u64], begin: u64) -> u64 {
    let of_word = |(at, &word): (usize, &u64)| mixed(mixed(begin + at as u64).wrapping_add(word));
    words.iter().enumerate().map(of_word).fold(0, u64::wrapping_add)
}

/// All bits of the result depend on all of the word (the finaliser of SplitMix64).
pub fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// On the way to files.
struct Saver<'a> {
    all: &'a Checkpoints<'a>,
    folder: &'a Path,
    number: u64,
    files: Vec<Sum>,
}

impl Saver<'_> {
    /// Writes the words of all ranks, one after the other.
    fn write(&mut self, words: &[u64]) {
        let job = self.all.job;
        let (begin, n_words) = (job.before(words.len() as u64), job.sum(words.len() as u64));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        job.write_at(&file(self.folder, self.number, self.files.len()), 8 * begin, &bytes);
        self.files.push(Sum { n_words, sum: job.sum(sum_of(words, begin)) });
    }
}

impl Archive for Saver<'_> {
    fn numbers(&mut self, numbers: &mut Vec<u64>) {
        let is_first = self.all.job.rank() == 0;
        self.write(if is_first { numbers } else { &[] });
    }

    fn of_states(&mut self, numbers: &mut Vec<u64>) {
        self.write(numbers);
    }

    fn records(&mut self, records: &mut Vec<(u32, [u64; 2])>) {
        // Block by block, so that any rank finds those of its states.
        let n_blocks = (self.all.range.end - self.all.range.start).div_ceil(BLOCK as u64) as usize;
        let mut counts = vec![0; n_blocks];
        records.iter().for_each(|(state, _)| counts[*state as usize / BLOCK] += 1);
        self.write(&counts);
        let mut next: Vec<usize> =
            counts.iter().scan(0, |end, &count| Some(std::mem::replace(end, *end + count as usize))).collect();
        let mut words = vec![0; 3 * records.len()];
        for &(state, [a, b]) in records.iter() {
            let at = &mut next[state as usize / BLOCK];
            words[3 * *at..3 * *at + 3].copy_from_slice(&[self.all.range.start + u64::from(state), a, b]);
            *at += 1;
        }
        self.write(&words);
    }
}

/// On the way back.
struct Loader<'a> {
    all: &'a Checkpoints<'a>,
    folder: &'a Path,
    kept: &'a Kept,
    /// The file that is read next.
    next: usize,
}

impl Loader<'_> {
    fn n_words(&self) -> u64 {
        self.kept.files.get(self.next).map_or(0, |file| file.n_words)
    }

    /// Words of the next file. The file was whole when the job began.
    fn read(&mut self, begin: u64, n_words: u64) -> Vec<u64> {
        let mut words = vec![0; n_words as usize];
        let path = file(self.folder, self.kept.folder, self.next);
        if let Err(message) = self.all.job.read_at(&path, 8 * begin, &mut words) {
            eprintln!("error: {message}");
            self.all.job.abort(2);
        }
        self.next += 1;
        words
    }
}

impl Archive for Loader<'_> {
    fn numbers(&mut self, numbers: &mut Vec<u64>) {
        *numbers = self.read(0, self.n_words());
    }

    fn of_states(&mut self, numbers: &mut Vec<u64>) {
        let width = self.n_words() / self.all.n_states;
        let Range { start, end } = self.all.range;
        *numbers = self.read(width * start, width * (end - start));
    }

    fn records(&mut self, records: &mut Vec<(u32, [u64; 2])>) {
        let Range { start, end } = self.all.range;
        let block = |state: u64| state.div_ceil(BLOCK as u64);
        let count = self.read(block(start), block(end) - block(start)).into_iter().sum::<u64>();
        let words = self.read(3 * self.all.job.before(count), 3 * count);
        let record = |words: &[u64]| ((words[0] - start) as u32, [words[1], words[2]]);
        *records = words.chunks_exact(3).map(record).collect();
        // By layer, as they were found; within a layer by state.
        records.sort_by_key(|(state, [layer, _])| (*layer, *state));
    }
}
