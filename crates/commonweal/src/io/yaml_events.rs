//! The nodes of a YAML file, one after the other, with aliases expanded.
//!
//! No tree is built. Only anchored nodes are kept, as ranges of one tape; an alias replays its range. An alias inside an anchored
//! node stays an alias on the tape, so the tape is never longer than the file. Every replayed node is counted against a budget:
//! a file cannot expand to much more than its own length.

use super::{
    parse_error::{Fault, Span, shown},
    syntax_error::syntax_fault,
};
use granit_parser::{Event, Parser, ScalarStyle, StrInput, Tag};
use std::{borrow::Cow, ops::Range};

/// Aliases may expand to this many bytes, plus `UNFOLDED_PER_BYTE` times the file.
const UNFOLDED: usize = 16 << 20;
const UNFOLDED_PER_BYTE: usize = 10;
/// The cost of replaying one node besides its text.
const NODE_COST: usize = 8;
/// The most nodes that anchors may keep.
const MAX_TAPE: usize = 1 << 22;
/// The deepest nesting that the parser follows. A model needs six levels.
const MAX_NESTING: usize = 64;
/// The longest key. YAML allows 1,024 characters; JSON has no limit, and a name may be long.
const MAX_KEY: usize = 1 << 16;

/// One step through the file.
#[derive(Debug, Clone)]
pub(super) struct Node<'t> {
    pub kind: Kind<'t>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(super) enum Kind<'t> {
    /// A scalar, as text. A plain one was written without quotes.
    Scalar { text: Cow<'t, str>, plain: bool },
    /// A map begins; keys and values alternate until its end.
    Map,
    /// A list begins.
    List,
    /// The map or list that began last ends.
    End,
    /// An alias to a stretch of the tape; never handed out.
    Alias(usize),
}

impl Node<'_> {
    /// Whether the node is missing.
    pub fn is_missing(&self) -> bool {
        matches!(self.kind, Kind::Scalar { plain: true, .. }) && self.span.is_empty()
    }

    /// Whether the node says that there is no value: nothing at all, `~` or `null`.
    pub fn is_null(&self) -> bool {
        self.is_missing()
            || matches!(&self.kind, Kind::Scalar { text, plain: true } if matches!(&**text, "~" | "null" | "Null" | "NULL"))
    }

    /// What the node is, in a word for messages.
    pub fn noun(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar { .. } => "a single value",
            Kind::Map => "a map",
            Kind::List => "a list",
            Kind::End | Kind::Alias(_) => "nothing",
        }
    }
}

/// The nodes of the one document of a file.
pub(super) struct Events<'t> {
    text: &'t str,
    parser: Parser<'t, StrInput<'t>>,
    /// Everything inside an anchored node.
    tape: Vec<Node<'t>>,
    /// The stretch of the tape of each anchor, by its id; `None` while the anchored node is open.
    anchors: Vec<Option<Range<usize>>>,
    /// Anchored maps and lists that have not ended: anchor, start on the tape, depth.
    open: Vec<(usize, usize, usize)>,
    depth: usize,
    /// What is being played, innermost last.
    playing: Vec<Range<usize>>,
    /// The bytes that aliases may still expand to.
    budget: usize,
}

impl<'t> Events<'t> {
    /// The nodes of `text`, whose first document must not be empty; `shape` says what belongs there.
    pub fn new(text: &'t str, shape: &str) -> Result<Events<'t>, Fault> {
        let mut options = granit_parser::Options::default();
        options.set_emit_comments(false);
        options.emit_unresolved_aliases = true;
        options.simple_key_max_lookahead = MAX_KEY;
        options.flow_nesting_limit = MAX_NESTING;
        options.block_nesting_limit = MAX_NESTING;
        let mut events = Events {
            text,
            parser: Parser::new_from_str_with_options(text, options),
            tape: Vec::new(),
            anchors: Vec::new(),
            open: Vec::new(),
            depth: 0,
            playing: Vec::new(),
            budget: UNFOLDED + UNFOLDED_PER_BYTE * text.len(),
        };
        loop {
            match events.event()? {
                (Event::StreamStart, _) => {}
                (Event::DocumentStart(..), _) => return Ok(events),
                _ => return Err(empty_file(text, shape)),
            }
        }
    }

    /// The next node. Called once for every node of the document's root, and no further.
    pub fn next(&mut self) -> Result<Node<'t>, Fault> {
        while let Some(stretch) = self.playing.last_mut() {
            let Some(at) = stretch.next() else {
                self.playing.pop();
                continue;
            };
            let node = self.tape[at].clone();
            self.pay_for(&node)?;
            match node.kind {
                Kind::Alias(anchor) => self.play(anchor, node.span)?,
                _ => return Ok(node),
            }
        }
        let node = self.read()?;
        match node.kind {
            Kind::Alias(anchor) => {
                self.play(anchor, node.span)?;
                self.next_played()
            }
            _ => Ok(node),
        }
    }

    /// Checks that nothing follows the document.
    pub fn finish(&mut self) -> Result<(), Fault> {
        loop {
            match self.event()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentStart(..), span) => {
                    return Err(Fault::new(
                        span_of(span),
                        "a second document begins here",
                        "a file holds one model: split the file at this line",
                    ));
                }
                _ => {}
            }
        }
    }

    /// The first node of the stretch that an alias has just put on. It begins with a node, never with an alias.
    fn next_played(&mut self) -> Result<Node<'t>, Fault> {
        let at = self.playing.last_mut().and_then(Iterator::next).expect("an anchored stretch has a node");
        let node = self.tape[at].clone();
        self.pay_for(&node)?;
        Ok(node)
    }

    fn pay_for(&mut self, node: &Node) -> Result<(), Fault> {
        let text = if let Kind::Scalar { text, .. } = &node.kind { text.len() } else { 0 };
        match self.budget.checked_sub(NODE_COST + text) {
            Some(rest) => self.budget = rest,
            None => {
                return Err(Fault::new(
                    node.span,
                    "the aliases of this file expand to far more than the file itself",
                    "write the model out, or convert it once to a file without aliases",
                ));
            }
        }
        Ok(())
    }

    fn play(&mut self, anchor: usize, span: Span) -> Result<(), Fault> {
        match self.anchors.get(anchor).cloned().flatten() {
            Some(stretch) => self.playing.push(stretch),
            None => {
                return Err(Fault::new(span, "this alias is inside its own anchor", "write out what you mean here"));
            }
        }
        Ok(())
    }

    /// The next node as written, aliases as aliases; on the tape too if it is inside an anchored node.
    fn read(&mut self) -> Result<Node<'t>, Fault> {
        let (event, span) = self.event()?;
        let node = |kind| Node { kind, span: span_of(span) };
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                check_tag(tag.as_deref(), span, &["str", "int", "float", "bool", "null"])?;
                (node(Kind::Scalar { text, plain: style == ScalarStyle::Plain }), anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), span, &["map"])?;
                (node(Kind::Map), anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), span, &["seq"])?;
                (node(Kind::List), anchor)
            }
            Event::MappingEnd | Event::SequenceEnd => (node(Kind::End), 0),
            Event::Alias(anchor) => (node(Kind::Alias(anchor)), 0),
            Event::UnresolvedAlias(name) => {
                let name = shown(&name);
                return Err(Fault::new(
                    span_of(span),
                    format!("no anchor is called {name}"),
                    "an alias `*name` needs an `&name` above it; put a name that begins with `*` in quotes",
                ));
            }
            _ => return Err(Fault::new(span_of(span), "the document ends too early", "finish the model")),
        };
        self.record(&node, anchor)?;
        Ok(node)
    }

    fn record(&mut self, node: &Node<'t>, anchor: usize) -> Result<(), Fault> {
        let at = self.tape.len();
        if anchor != 0 || !self.open.is_empty() {
            if at == MAX_TAPE {
                return Err(Fault::new(
                    node.span,
                    format!("the anchored parts of this file hold more than {MAX_TAPE} values"),
                    "put anchors on the small parts that are repeated, not on large ones",
                ));
            }
            self.tape.push(node.clone());
        }
        if anchor != 0 && self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, None);
        }
        match node.kind {
            Kind::Map | Kind::List => {
                if anchor != 0 {
                    self.open.push((anchor, at, self.depth));
                }
                self.depth += 1;
            }
            Kind::End => {
                self.depth -= 1;
                if let Some((anchor, start, _)) = self.open.pop_if(|&mut (_, _, depth)| depth == self.depth) {
                    self.anchors[anchor] = Some(start..self.tape.len());
                }
            }
            Kind::Scalar { .. } if anchor != 0 => self.anchors[anchor] = Some(at..at + 1),
            Kind::Scalar { .. } | Kind::Alias(_) => {}
        }
        Ok(())
    }

    fn event(&mut self) -> Result<(Event<'t>, granit_parser::Span), Fault> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(syntax_fault(&error, self.text)),
            None => Ok((Event::StreamEnd, granit_parser::Span::default())),
        }
    }
}

fn span_of(span: granit_parser::Span) -> Span {
    let bytes = span.byte_range().unwrap_or_default();
    Span::new(bytes.start, bytes.end)
}

/// Accepts the standard tags that only repeat the type of the node.
fn check_tag(tag: Option<&Tag>, span: granit_parser::Span, harmless: &[&str]) -> Result<(), Fault> {
    let Some(tag) = tag else { return Ok(()) };
    let non_specific = tag.handle().is_empty() && tag.suffix() == "!";
    if non_specific || harmless.iter().any(|name| tag.is_yaml_core_schema_tag(name)) {
        return Ok(());
    }
    let span = span.tag_span().map_or(span_of(span), span_of);
    Err(Fault::new(span, format!("the tag {} means nothing here", shown(&tag.original())), "remove the tag"))
}

fn empty_file(text: &str, shape: &str) -> Fault {
    let blank = text.trim_start_matches('\u{feff}').trim().is_empty();
    let message = if blank { "the file is empty" } else { "the file holds only comments" };
    Fault::new(Span::default(), message, shape)
}
