//! Alternating graphs, one node a line.
//!
//! ```text
//! # a comment
//! or  start: left right     the reachability player moves (chance, in the model)
//! and left: left goal       the safety player moves (the agent, in the model)
//! and right: goal
//! target goal
//! ```
//!
//! The first line that is not a comment is where the game starts, unless a line `start NAME` says otherwise. Names have no
//! spaces and no colons.

use super::dimacs::{Line, lines};
use super::parse_error::{Fault, Span};
use super::{ParseError, utf8};
use crate::model::nearest;
use crate::reductions::reachability_game::{Game, Mover, Node};
use std::collections::HashMap;

/// The game in a file, or what is wrong with it and where.
pub fn read_game(bytes: &[u8]) -> Result<Game, ParseError> {
    let text = utf8(bytes)?;
    read(text).map_err(|fault| fault.locate(text))
}

fn read(text: &str) -> Result<Game, Fault> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut edges: Vec<Vec<(&str, Span)>> = Vec::new();
    let mut start: Option<(&str, Span)> = None;
    for line in lines(text) {
        let content = line.text.split('#').next().unwrap_or("");
        let line = Line { text: content, start: line.start };
        let words: Vec<(&str, Span)> = line.words().collect();
        let Some(&(kind, kind_span)) = words.first() else { continue };
        let mover = match kind {
            "or" => Mover::Or,
            "and" => Mover::And,
            "target" => Mover::Target,
            "start" => {
                let [_, name] = words[..] else {
                    return Err(Fault::new(line.span(), "not a line `start NAME`", "name one node"));
                };
                if start.replace(name).is_some() {
                    return Err(Fault::new(line.span(), "a second line `start`", "keep one of them"));
                }
                continue;
            }
            _ => {
                let help = "a line begins with `or`, `and`, `target` or `start`; # begins a comment";
                return Err(Fault::new(kind_span, format!("`{kind}` is not a kind of node"), help));
            }
        };
        let (name, span, successors) = head(&line, mover, &words[1..])?;
        if index.insert(name, nodes.len()).is_some() {
            let help = "give each node one line, with all its successors";
            return Err(Fault::new(span, format!("a second node `{name}`"), help));
        }
        nodes.push(Node { name: name.to_owned(), mover, successors: Vec::new() });
        edges.push(successors);
    }
    if nodes.is_empty() {
        let end = Span::new(text.len().saturating_sub(1), text.len());
        return Err(Fault::new(end, "there is no node", "write one a line, such as `or a: b c`"));
    }
    let find = |(name, span): (&str, Span)| {
        index.get(name).copied().ok_or_else(|| {
            let help = match nearest(name, nodes.iter().map(|node| node.name.as_str())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add a line such as `and {name}: …` or `target {name}`"),
            };
            Fault::new(span, format!("there is no node `{name}`"), help)
        })
    };
    let mut resolved = Vec::with_capacity(edges.len());
    for successors in edges {
        let mut once: Vec<usize> = Vec::with_capacity(successors.len());
        let mut seen = std::collections::HashSet::new();
        for named in successors {
            let successor = find(named)?;
            if seen.insert(successor) {
                once.push(successor);
            }
        }
        resolved.push(once);
    }
    let start = start.map_or(Ok(0), find)?;
    nodes.iter_mut().zip(resolved).for_each(|(node, successors)| node.successors = successors);
    Ok(Game { nodes, start })
}

type Named<'t> = (&'t str, Span);

/// The name of a node and its successors, from what follows its kind.
fn head<'t>(line: &Line<'t>, mover: Mover, words: &[Named<'t>]) -> Result<(&'t str, Span, Vec<Named<'t>>), Fault> {
    let help = match mover {
        Mover::Target => "write `target NAME`; a target has no successors",
        _ => "write `or NAME: SUCCESSOR …` or `and NAME: SUCCESSOR …`, with at least one successor",
    };
    let wrong = || Fault::new(line.span(), "not a line for a node", help);
    let &(first, span) = words.first().ok_or_else(wrong)?;
    if mover == Mover::Target {
        return if words.len() == 1 && !first.contains(':') { Ok((first, span, Vec::new())) } else { Err(wrong()) };
    }
    let name = first.strip_suffix(':').filter(|name| !name.is_empty()).ok_or_else(wrong)?;
    let successors = words[1..].to_vec();
    let plain = |(word, _): &Named| !word.contains(':');
    if !successors.is_empty() && !name.contains(':') && successors.iter().all(plain) {
        Ok((name, Span::new(span.start as usize, span.start as usize + name.len()), successors))
    } else {
        Err(wrong())
    }
}
