//! The Pareto front of the payoff set.
//!
//! **Two principals.** Dichotomy: between two vertices, one question with the normal of the line through them either proves that
//! the line is an edge or finds a vertex beyond it; N vertices cost 2N − 1 questions. The widest gap is asked about first, so that
//! a front that is stopped is known evenly: beyond an open line it stays within the half-spaces of the two vertices, and with the line's normal
//! as `n = α w_a + β w_b` it exceeds the line by at most `α h(w_a) + β h(w_b) − n·a`. The front may have infinitely many
//! vertices, towards the best of the less patient principal, and then it repeats itself. Let θ be the weight of the patient
//! principal over that of the other, ρ < 1 the ratio of the other's discount to the patient one's, σ the other's own best
//! strategy, which is to be unique up to choices that are alike (the same rewards and successors, where equivalent states count as one), and
//!
//! ```text
//! θ* = min over s that σ comes to and a unlike σ(s) of [V_1(s) − Q_1(s,a)] / [max Q_0(s,a) − V_0^σ(s)], where the denominator is positive.
//! ```
//!
//! Below θ* no deviation from σ pays at step 0: it costs the one principal more than the other can gain. So the agent takes σ,
//! and one step later faces the same problem with θ/ρ. The turns of the front from s below θ* are therefore ρ times those from
//! σ's successors, and those in [ρθ*, θ*) determine all. The set of states that σ reaches after j steps is periodic from some q
//! on with a period d; so from the start the turns in [ρ^(q+d) θ*, ρ^q θ*) repeat for ever, times ρ^d.
//!
//! Of a principal with negative weight less is better: weights of the front are negative for them, and above R is negated.
//!
//! **Three and more.** Support functions: cells of weights are divided until the half-spaces of their corners exceed the points
//! found by less than the gap (`hull`).
//!
//! Both are limited by counted work. What is known by then is proven: vertices from inside, half-spaces from outside.

use super::Weights;
use super::payoff_set::{Best, PayoffSet, Point};
use super::restricted_face::unit;
use crate::exact::long_term::{self, positional_value};
use crate::model::{ChoiceId, PrincipalId, StateId};
use crate::number::Rational;
use crate::principals::alone;
use crate::quotient::{Alternatives, Classes, labels};
use crate::solve::{DEFAULT_GAP, Engine};
use crate::stop::StopReason;

/// A vertex of the front.
#[derive(Debug, Clone)]
pub struct Vertex {
    /// A strategy, and what it gives each principal.
    pub point: Point,
    /// Weights for which it is optimal.
    pub weights: Weights,
}

/// An edge between two vertices.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The vertices at its ends, by index.
    pub between: [usize; 2],
    /// Weights for which all of it is equally good.
    pub weights: Weights,
    /// Whether it is proven that nothing lies beyond it; otherwise the front exceeds it by less than the gap.
    pub proven: bool,
}

/// How a front with infinitely many vertices continues between its last vertex but one and its last.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// The first of the edges that repeat.
    pub first_edge: usize,
    /// How many of them repeat, up to the last one listed.
    pub n_edges: usize,
    /// The principal whose weight shrinks from one repetition to the next, relative to the other's.
    pub patient: PrincipalId,
    /// What it is multiplied by each time.
    pub ratio: Rational,
    /// The factor of an edge's extent in each of the two payoffs from one repetition to the next, if it is constant.
    pub factors: Option<[Rational; 2]>,
    /// Weights for which the first vertex that is not listed is the best: those of the edges around it lie on both sides.
    pub next: Weights,
}

/// The front of two principals.
#[derive(Debug, Clone)]
pub struct Front {
    /// The two principals.
    pub principals: [PrincipalId; 2],
    /// From the first principal's best to the second one's.
    pub vertices: Vec<Vertex>,
    /// The edges between neighbours; none between the last two vertices if a pattern is between them.
    pub edges: Vec<Edge>,
    /// What repeats for ever, if something does.
    pub pattern: Option<Pattern>,
    /// Whether vertices, edges and pattern are the whole front, exactly.
    pub complete: bool,
    /// For all weights in the direction of each principal whose magnitudes sum to 1, the front exceeds the lines between neighbours by at most this.
    pub gap: Rational,
    /// Why it is not, unless the gap was reached.
    pub stopped: Option<StopReason>,
    /// The number of solves.
    pub calls: u64,
}

/// The limits of the search.
#[derive(Debug, Clone)]
pub struct FrontOptions {
    /// Lines that the front exceeds by less than this, relative to the greatest payoff, are not refined; 0 refines all.
    pub gap: Rational,
    /// The most vertices.
    pub vertex_limit: usize,
    /// The most work, in about nanoseconds of one processor, counted and not timed; `u64::MAX` for no limit. Where fractions need more
    /// before anything is known, and no engine was asked for, doubles have as much again.
    pub work_limit: u64,
}

impl Default for FrontOptions {
    fn default() -> FrontOptions {
        FrontOptions { gap: Rational::ZERO, vertex_limit: 5_000, work_limit: 10_000_000_000 }
    }
}

/// The longest period of the reached states that is searched for.
const LONGEST_PERIOD: usize = 64;

/// The front of two principals, exactly if the engine is exact.
pub fn front(set: &PayoffSet, principals: [PrincipalId; 2], options: &FrontOptions) -> Result<Front, StopReason> {
    within_work(set, options, |set, options| trace(set, principals, options), |front| front.stopped)
}

/// What `find` finds with the work that is allowed: in fractions, or in doubles if fractions take too long to find anything, or to reach the gap
/// asked for, and nobody asked for them.
pub(super) fn within_work<'m, T>(
    set: &PayoffSet<'m>,
    options: &FrontOptions,
    find: impl Fn(&PayoffSet<'m>, &FrontOptions) -> Result<T, StopReason>,
    stopped: impl Fn(&T) -> Option<StopReason>,
) -> Result<T, StopReason> {
    let may_change = set.gap().is_none() && set.options().engine == Engine::Auto && set.model().check_doubles().is_ok();
    let first = if may_change && !options.gap.is_zero() {
        options.work_limit.min(FrontOptions::default().work_limit)
    } else {
        options.work_limit
    };
    let found = find(&set.limited(first, None), options);
    let too_long = match &found {
        Ok(found) => first < options.work_limit && stopped(found) == Some(StopReason::Work),
        Err(reason) => matches!(reason, StopReason::Work | StopReason::LayerLimit),
    };
    if too_long && may_change {
        let gap = Rational::try_from(DEFAULT_GAP).expect("finite").max(options.gap.clone());
        let in_doubles = set.limited(options.work_limit, Some(Engine::Within(gap.to_f64())));
        return find(&in_doubles, &FrontOptions { gap, ..options.clone() });
    }
    found
}

fn trace(set: &PayoffSet, principals: [PrincipalId; 2], options: &FrontOptions) -> Result<Front, StopReason> {
    let [x, y] = principals.map(PrincipalId::index);
    let (vertices, edges) = (Vec::new(), Vec::new());
    let mut dichotomy = Dichotomy {
        set,
        x,
        y,
        options,
        vertices,
        edges,
        stopped: None,
        kept_free: 0,
        exact: true,
        gap: Rational::ZERO,
    };
    let [first, last] = [[x, y], [y, x]].map(|[own, other]| dichotomy.end(&[set.own_way(own), set.own_way(other)]));
    let (first, last) = (first?, last?);
    let repeats = if set.gap().is_none() { repetition(set, [x, y])? } else { None };
    // If the first principal is the impatient one, the infinite end comes first: the dichotomy goes from the other side.
    let turned = repeats.as_ref().is_some_and(|repeats| repeats.patient == y);
    if turned {
        (dichotomy.x, dichotomy.y) = (y, x);
    }
    let (from, to) = if turned { (last, first) } else { (first, last) };
    let mut pattern = None;
    if same(&from.vertex.point, &to.vertex.point, [x, y]) {
        dichotomy.vertices.push(from.vertex);
    } else if let Some(repeats) = repeats.as_ref().filter(|_| options.vertex_limit > 2) {
        dichotomy.kept_free = 1;
        let impatient = set.own_way(dichotomy.y);
        let mut least = impatient.clone();
        least[dichotomy.x] = set.direction(dichotomy.x) * &repeats.least;
        let before = dichotomy.end(&[least, impatient])?;
        let is_infinite = !same(&before.vertex.point, &to.vertex.point, [x, y]);
        dichotomy.between(from, before.clone());
        dichotomy.kept_free = 0;
        let theta = |edge: &Edge| (&edge.weights[dichotomy.x] / &edge.weights[dichotomy.y]).abs();
        let n_edges = dichotomy.edges.iter().filter(|edge| theta(edge) < repeats.from).count();
        let first_edge = dichotomy.edges.len() - n_edges;
        // A line that is no edge, within the gap asked for, does not repeat.
        let are_edges = n_edges > 0 && dichotomy.edges[first_edge..].iter().all(|edge| edge.proven);
        let is_known = is_infinite && dichotomy.stopped.is_none() && are_edges;
        if is_known {
            let mut factors = repeats.factors.clone();
            if let (Some(factors), true) = (&mut factors, turned) {
                factors.reverse();
            }
            let patient = PrincipalId::from(dichotomy.x);
            // The edges of the next repetition: after the first of them comes the next vertex, then another one, or the first of the
            // repetition after that.
            let turns: Vec<Rational> = dichotomy.edges[first_edge..].iter().map(theta).collect();
            let after = turns.get(1).cloned().unwrap_or_else(|| &turns[0] * &repeats.ratio);
            let between = (&turns[0] + after) / Rational::from(2) * &repeats.ratio;
            let mut next = set.own_way(dichotomy.y);
            next[dichotomy.x] = set.direction(dichotomy.x) * between;
            pattern = Some(Pattern { first_edge, n_edges, patient, ratio: repeats.ratio.clone(), factors, next });
        }
        if is_known {
            if !dichotomy.exact {
                // The lines are all that is told of such a front, also the one across the pattern.
                let ends = [before, to.clone()];
                dichotomy.gap = dichotomy.gap.clone().max(dichotomy.line(&ends[0], &ends[1], &ends).beyond());
            }
            dichotomy.vertices.push(to.vertex);
        } else if is_infinite {
            // Without the edges that repeat, the pattern says nothing.
            dichotomy.vertices.pop();
            dichotomy.between(before, to);
        }
    } else {
        dichotomy.between(from, to);
    }
    // Of an approximated preference the whole front of the mixture is not the whole front.
    let complete = dichotomy.exact && dichotomy.stopped.is_none() && !set.is_approximated();
    let Dichotomy { vertices, edges, stopped, gap, .. } = dichotomy;
    let calls = set.calls();
    let mut front = Front { principals, vertices: Vec::new(), edges, pattern, complete, gap, stopped, calls };
    front.take(vertices, turned, [x, y].map(|p| set.own_way(p)));
    Ok(front)
}

impl Front {
    /// What is known of a front whose search was stopped before it found a vertex.
    pub fn nothing_known(principals: [PrincipalId; 2], reason: StopReason) -> Front {
        let (vertices, edges, gap) = (Vec::new(), Vec::new(), Rational::ZERO);
        Front { principals, vertices, edges, pattern: None, complete: false, gap, stopped: Some(reason), calls: 0 }
    }

    /// The limit of the pattern, if there is one: the best of the less patient principal, at an end.
    pub fn limit(&self) -> Option<usize> {
        let pattern = self.pattern.as_ref()?;
        Some(if pattern.patient == self.principals[0] { self.vertices.len() - 1 } else { 0 })
    }

    /// Takes the vertices; turned round, the lists and the pattern's edges with them. `ends` are the weights of each principal alone.
    fn take(&mut self, mut vertices: Vec<Vertex>, turned: bool, ends: [Weights; 2]) {
        if turned {
            vertices.reverse();
            let last = vertices.len() - 1;
            let n_edges = self.edges.len();
            self.edges.reverse();
            for edge in &mut self.edges {
                edge.between = [last - edge.between[1], last - edge.between[0]];
            }
            if let Some(pattern) = &mut self.pattern {
                pattern.first_edge = n_edges - pattern.first_edge - pattern.n_edges;
            }
        }
        let n = vertices[0].weights.len();
        let normal = |weights: &Weights| {
            let total = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight.clone().abs());
            weights.iter().map(|weight| weight / &total).collect::<Weights>()
        };
        let count = vertices.len();
        for (index, vertex) in vertices.iter_mut().enumerate() {
            vertex.weights = normal(&vertex.weights);
            let touching: Vec<&Edge> = self.edges.iter().filter(|edge| edge.between.contains(&index)).collect();
            // Beside a line that is no edge, what the vertex was found by is all that is known to be best for it.
            if !touching.iter().all(|edge| edge.proven) {
                continue;
            }
            let mut sides: Vec<Weights> = touching.into_iter().map(|edge| normal(&edge.weights)).collect();
            // The corners of the front are best for one principal alone.
            sides.extend((index == 0).then(|| ends[0].clone()));
            sides.extend((index + 1 == count).then(|| ends[1].clone()));
            if sides.is_empty() {
                continue;
            }
            let n_sides = Rational::from(sides.len());
            let mean = |p: usize| sides.iter().fold(Rational::ZERO, |sum, side| sum + &side[p]) / &n_sides;
            vertex.weights = (0..n).map(mean).collect();
        }
        self.vertices = vertices;
    }
}

fn same(a: &Point, b: &Point, axes: [usize; 2]) -> bool {
    axes.iter().all(|&p| a.payoffs[p] == b.payoffs[p]) || a.strategy == b.strategy
}

/// What is known of the line between two neighbours.
enum Line {
    /// They are the same point.
    None,
    /// Nobody has asked. The rectangle between them has this area, and the front exceeds the line by at most this.
    Open { room: f64, beyond: Rational },
    /// It is an edge, or what lies beyond it is at most this, within the gap.
    Edge { beyond: Rational },
}

/// A vertex, with the greatest sum by its weights.
#[derive(Clone)]
struct Found {
    vertex: Vertex,
    most: Rational,
}

impl Line {
    /// The most that the front exceeds it by.
    fn beyond(&self) -> Rational {
        match self {
            Line::None => Rational::ZERO,
            Line::Open { beyond, .. } | Line::Edge { beyond } => beyond.clone(),
        }
    }
}

/// The open line with the most room beyond it, the first of several.
fn widest(lines: &[Line]) -> Option<usize> {
    let open = lines.iter().enumerate().filter_map(|(at, line)| match line {
        Line::Open { room, .. } => Some((at, *room)),
        Line::None | Line::Edge { .. } => None,
    });
    open.reduce(|widest, other| if other.1 > widest.1 { other } else { widest }).map(|(at, _)| at)
}

/// The state of the dichotomy, from the best of `x` towards that of `y`.
struct Dichotomy<'a, 'm> {
    set: &'a PayoffSet<'m>,
    x: usize,
    y: usize,
    options: &'a FrontOptions,
    /// Each with the weights by which it was found.
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    stopped: Option<StopReason>,
    /// How many vertices will still be added to those of `between`.
    kept_free: usize,
    /// Whether every edge is proven exactly.
    exact: bool,
    /// The most that the front exceeds a line by.
    gap: Rational,
}

impl Dichotomy<'_, '_> {
    /// A vertex that is best by these weights lexicographically, then for the principals of weight 0.
    fn end(&self, levels: &[Weights]) -> Result<Found, StopReason> {
        let found = |point: Point, most: Rational| Found { vertex: Vertex { point, weights: levels[0].clone() }, most };
        if self.set.gap().is_some() {
            let best = self.set.best(&levels[0])?;
            // An end that is not the best for its principal is no end of the front.
            return best.stopped.map_or(Ok(found(best.point, best.most)), Err);
        }
        let counts = |p: usize| levels.iter().any(|weights| !weights[p].is_zero());
        let others =
            (0..self.set.n()).map(|p| if counts(p) { Rational::ZERO } else { self.set.direction(p) }).collect();
        let all: Vec<&Weights> = levels.iter().chain([&others]).collect();
        let point = self.set.best_of_best(&all)?.point;
        let most = point.most(&levels[0]);
        Ok(found(point, most))
    }

    /// All vertices and edges from one vertex to another, appended in this order.
    fn between(&mut self, from: Found, to: Found) {
        // The lines between neighbours: decided ones, or how much there is room for beyond them.
        let ends = [from.clone(), to.clone()];
        let mut points = vec![from, to];
        let mut lines = vec![self.line(&points[0], &points[1], &ends)];
        while self.stopped.is_none()
            && let Some(at) = widest(&lines)
        {
            if self.vertices.len() + points.len() + self.kept_free >= self.options.vertex_limit {
                self.stopped = Some(StopReason::VertexLimit);
                break;
            }
            let (last, next) = (&points[at].vertex.point, &points[at + 1].vertex.point);
            let weights = self.normal(last, next);
            match self.set.best(&weights) {
                // A solve that was stopped proves no edge; the line stays open.
                Ok(Best { stopped: Some(reason), .. }) => self.stopped = Some(reason),
                Ok(Best { point, most, .. })
                    if !self.is_edge(&weights, last, &most) && !self.known(&point, last, next) =>
                {
                    points.insert(at + 1, Found { vertex: Vertex { point, weights }, most });
                    let halves = [at, at + 1].map(|at| self.line(&points[at], &points[at + 1], &ends));
                    lines.splice(at..=at, halves);
                    let widest = widest(&lines).map_or(0.0, |at| lines[at].beyond().to_f64());
                    self.set.tell_vertices(self.vertices.len() + points.len(), widest);
                }
                Ok(best) => lines[at] = Line::Edge { beyond: best.most - last.least(&weights) },
                Err(reason) => self.stopped = Some(reason),
            }
        }
        for (at, line) in lines.iter().enumerate() {
            // Two names for one point have no line.
            if matches!(line, Line::None) {
                continue;
            }
            let proven = matches!(line, Line::Edge { beyond } if beyond.is_zero());
            self.exact &= proven;
            self.gap = self.gap.clone().max(line.beyond());
            let index = self.vertices.len();
            let weights = self.normal(&points[at].vertex.point, &points[at + 1].vertex.point);
            self.edges.push(Edge { between: [index, index + 1], weights, proven });
            self.vertices.push(points[at].vertex.clone());
        }
        self.vertices.push(points.pop().expect("two ends").vertex);
    }

    /// The line between two neighbours that nobody has asked about. `ends` are the ends of the part of the front that they are on.
    fn line(&self, from: &Found, to: &Found, ends: &[Found; 2]) -> Line {
        let axes = [self.x, self.y];
        if same(&from.vertex.point, &to.vertex.point, axes) {
            return Line::None;
        }
        let middle = |found: &Found, p: usize| found.vertex.point.payoffs[p].enclosure.midpoint();
        let room = axes.into_iter().map(|p| (middle(to, p) - middle(from, p)).abs()).product();
        // In doubles, the half-spaces of near neighbours may not bound what is between them; those of the ends do.
        let beyond = self.beyond(from, to, [from, to]).or_else(|| self.beyond(from, to, [&ends[0], &ends[1]]));
        Line::Open { room, beyond: beyond.expect("the front lies between its ends") }
    }

    /// How far the front exceeds the line between two points at most, by the half-spaces of two vertices; `None` if these do not bound it.
    fn beyond(&self, from: &Found, to: &Found, spaces: [&Found; 2]) -> Option<Rational> {
        let normal = self.normal(&from.vertex.point, &to.vertex.point);
        let [of_x, of_y] = [self.x, self.y].map(|p| spaces.map(|space| &space.vertex.weights[p]));
        // The normal as a sum of the weights of the two, by Cramer's rule.
        let determinant = of_x[0] * of_y[1] - of_x[1] * of_y[0];
        if determinant.is_zero() {
            return None;
        }
        let first = (&normal[self.x] * of_y[1] - &normal[self.y] * of_x[1]) / &determinant;
        let second = (&normal[self.y] * of_x[0] - &normal[self.x] * of_y[0]) / &determinant;
        if first < Rational::ZERO || second < Rational::ZERO {
            return None;
        }
        let most = first * &spaces[0].most + second * &spaces[1].most;
        let least = from.vertex.point.least(&normal).min(to.vertex.point.least(&normal));
        Some((most - least).max(Rational::ZERO))
    }

    /// Whether the front exceeds the line by nothing, or by less than the gap.
    fn is_edge(&self, weights: &Weights, from: &Point, most: &Rational) -> bool {
        let total = weights[self.x].clone().abs() + weights[self.y].clone().abs();
        let scale =
            from.payoffs[self.x].enclosure.midpoint().abs().max(from.payoffs[self.y].enclosure.midpoint().abs());
        let scale = Rational::try_from(scale).unwrap_or(Rational::ZERO);
        most - from.least(weights) <= &self.options.gap * scale * total
    }

    /// Whether a point is one of the line's ends, up to the precision of the payoffs.
    fn known(&self, point: &Point, from: &Point, to: &Point) -> bool {
        same(point, from, [self.x, self.y]) || same(point, to, [self.x, self.y])
    }

    /// Weights for which two points are equally good: in the direction of both principals, since each point is better for one of them.
    fn normal(&self, from: &Point, to: &Point) -> Weights {
        let n = self.set.n();
        let along = |p: usize| to.least(&unit(n, p)) - from.least(&unit(n, p));
        let (right, up) = (along(self.x), along(self.y));
        let mut weights = vec![Rational::ZERO; n];
        // Normalised: only the ratio of the weights matters.
        let total = up.clone().abs() + right.clone().abs();
        weights[self.x] = self.set.direction(self.x) * up.abs() / &total;
        weights[self.y] = self.set.direction(self.y) * right.abs() / &total;
        weights
    }
}

/// Where the turns of a front repeat.
struct Repetition {
    patient: usize,
    /// ρ^d.
    ratio: Rational,
    /// ρ^q θ*: below this the turns repeat.
    from: Rational,
    /// ρ^(q+d) θ*: above this all turns are computed.
    least: Rational,
    /// (λ_x^d, λ_y^d), patient first, where the runs of σ are the same after every period.
    factors: Option<[Rational; 2]>,
}

/// How the turns of the front repeat, if both principals have plain, distinct discounts, and the best strategy of the less
/// patient one is unique in every state that it reaches, up to choices that are alike.
fn repetition(set: &PayoffSet, axes: [usize; 2]) -> Result<Option<Repetition>, StopReason> {
    let (mdp, rows, stop) = (set.mdp()?, set.rows()?, &set.options().stop);
    let discounts = axes.map(|p| mdp.principals()[p].discount().cloned());
    let [Some(of_x), Some(of_y)] = discounts else { return Ok(None) };
    if of_x == of_y {
        return Ok(None);
    }
    let (patient, impatient) = if of_x > of_y { (axes[0], axes[1]) } else { (axes[1], axes[0]) };
    let (high, low) = if of_x > of_y { (of_x, of_y) } else { (of_y, of_x) };
    let own = long_term::solve(&alone(mdp, PrincipalId::from(impatient), stop)?, rows, stop)?;
    // Equivalent states are one state: a copy would make periods longer, and a choice that leads to it another one.
    let reward_labels = labels((0..mdp.n_choices()).map(|choice| axes.map(|p| &mdp.rewards(choice.into())[p])));
    let Some(classes) = Classes::of(mdp, &reward_labels, Alternatives::Any, stop) else {
        return Err(stop.reason().unwrap_or(StopReason::Work));
    };
    let sigma = |class: usize| own.strategy[classes.first[class].index()];
    // The distribution of classes under σ, step by step.
    let mut after = vec![unit(classes.len(), classes.of_state(mdp.start()))];
    let mut support = vec![occupied(&after[0])];
    let repeated = loop {
        if after.len() > LONGEST_PERIOD {
            return Ok(None);
        }
        let mut next = vec![Rational::ZERO; classes.len()];
        for (class, share) in after.last().expect("a step").iter().enumerate().filter(|(_, share)| !share.is_zero()) {
            for (target, probability) in classes.row(mdp, sigma(class)) {
                next[target] += probability * share;
            }
        }
        let now = occupied(&next);
        after.push(next);
        if let Some(earlier) = support.iter().position(|known| *known == now) {
            break earlier;
        }
        support.push(now);
    };
    let period = support.len() - repeated;
    let mut reached: Vec<usize> = support.iter().flatten().copied().collect();
    reached.sort_unstable();
    reached.dedup();
    // A choice under two names is one choice: it moves no payoff of the two.
    let are_alike = |one: ChoiceId, other: ChoiceId| {
        let is_same_reward = reward_labels[one.index()] == reward_labels[other.index()];
        is_same_reward && classes.row(mdp, one) == classes.row(mdp, other)
    };
    let is_sigma = |class: usize, choice: ChoiceId| choice == sigma(class) || are_alike(choice, sigma(class));
    let unique = |&class: &usize| {
        let mut allowed = mdp.choices(classes.first[class]).filter(|choice| own.allowed[choice.index()]);
        allowed.all(|choice| is_sigma(class, choice))
    };
    if !reached.iter().all(unique) {
        return Ok(None);
    }
    let reward_of = |choice: ChoiceId, p: usize| set.direction(p) * &mdp.rewards(choice)[p];
    let rewards: Vec<Rational> = (0..mdp.n_choices()).map(|choice| reward_of(choice.into(), patient)).collect();
    let follows = positional_value(mdp, &own.strategy, &high, |choice| &rewards[choice.index()], stop)?;
    let most = long_term::solve(&alone(mdp, PrincipalId::from(patient), stop)?, rows, stop)?;
    let worth = |choice: ChoiceId, p: usize, discount: &Rational, values: &crate::number::ExactVector| {
        let later = mdp.transitions(choice).map(|(target, probability)| probability * values.get(target.index()));
        reward_of(choice, p) + discount * later.fold(Rational::ZERO, |sum, term| sum + term)
    };
    let mut turn: Option<Rational> = None;
    for &class in &reached {
        let state = classes.first[class].index();
        for choice in mdp.choices(StateId::from(state)).filter(|&choice| !is_sigma(class, choice)) {
            let costs = own.values[0].get(state) - worth(choice, impatient, &low, &own.values[0]);
            let brings = worth(choice, patient, &high, &most.values[0]) - follows.get(state);
            if brings > Rational::ZERO {
                let ratio = costs / brings;
                turn = Some(turn.map_or(ratio.clone(), |turn| turn.min(ratio)));
            }
        }
    }
    // If no deviation ever pays, the front is a point; any bound will do.
    let turn = turn.unwrap_or(Rational::ONE);
    let rho = &low / &high;
    if rho.is_zero() {
        let half = Rational::from_quotient(1, 2);
        return Ok(Some(Repetition { patient, ratio: rho, from: turn.clone(), least: turn * half, factors: None }));
    }
    let power = |base: &Rational, exponent: usize| base.pow(isize::try_from(exponent).expect("a short period"));
    let from = power(&rho, repeated) * &turn;
    let ratio = power(&rho, period);
    let same_runs = after[repeated] == after[repeated + period];
    let factors = same_runs.then(|| [power(&high, period), power(&low, period)]);
    Ok(Some(Repetition { patient, least: &from * &ratio, ratio, from, factors }))
}

fn occupied(distribution: &[Rational]) -> Vec<usize> {
    (0..distribution.len()).filter(|&state| !distribution[state].is_zero()).collect()
}
