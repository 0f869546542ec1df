//! `commonweal-mutants FOLDER LEFT_OUT FILE…`: rewrites the sources FILE in FOLDER in place, so that every mutation is in them, asleep. The
//! environment variable `MUTANT` wakes one of them by its number. Prints a line for each: number, place, what it does.
//!
//! Compiling once in place of once per mutant makes a mutant take milliseconds. The mutations are those of cargo-mutants: what a
//! function returns is replaced by something simple, an operator by its neighbours, a guard of a match by true or
//! false, `!`, `-` and arms of a match are left out. A mutation that does not compile is left out by its number in the file LEFT_OUT.

use proc_macro2::Span;
use quote::{ToTokens, quote};
use std::collections::HashSet;
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, Pat, ReturnType, Stmt, Type, UnOp, parse_quote};

/// What asks for the mutant of this run; the crate's root gets it as a module.
const SWITCH: &str = "pub fn is(number: u32) -> bool {
    static MUTANT: std::sync::LazyLock<Option<u32>> =
        std::sync::LazyLock::new(|| std::env::var(\"MUTANT\").ok().and_then(|number| number.parse().ok()));
    *MUTANT == Some(number)
}
";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, left_out, files @ ..] = &arguments[..] else { panic!("expected FOLDER LEFT_OUT FILE…") };
    let folder = Path::new(folder);
    let left_out = std::fs::read_to_string(left_out).expect("the numbers left out");
    let left_out = left_out.lines().map(|number| number.parse().expect("a number")).collect();
    let mut mutator = Mutator { file: String::new(), function: String::new(), next: 0, left_out };
    for file in files {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).expect("a source");
        let mut parsed = syn::parse_file(&text).expect("Rust");
        mutator.file.clone_from(file);
        mutator.visit_file_mut(&mut parsed);
        // A line for every mutant, so that the line of a compiler error identifies it.
        let text = parsed.into_token_stream().to_string().replace("crate :: mutant :: is", "\ncrate :: mutant :: is");
        std::fs::write(&path, text).expect("the folder takes it");
    }
    std::fs::write(folder.join("mutant.rs"), SWITCH).expect("the folder takes it");
}

struct Mutator {
    file: String,
    function: String,
    next: u32,
    left_out: HashSet<u32>,
}

impl Mutator {
    /// A condition that holds in the run of a new mutant; `None` if that is left out.
    fn switch(&mut self, place: Span, what: &str) -> Option<Expr> {
        let number = self.next;
        self.next += 1;
        if self.left_out.contains(&number) {
            return None;
        }
        println!("{number}\t{}:{}\t{}: {what}", self.file, place.start().line, self.function);
        Some(parse_quote!(crate::mutant::is(#number)))
    }

    fn function(
        &mut self,
        name: &syn::Ident,
        output: &ReturnType,
        block: &mut syn::Block,
        visit: impl FnOnce(&mut Self, &mut syn::Block),
    ) {
        let outer = std::mem::replace(&mut self.function, name.to_string());
        visit(self, block);
        let mut replaced: Vec<Stmt> = Vec::new();
        for (value, what) in simple_values(output) {
            if let Some(switch) = self.switch(name.span(), &format!("returns {what}")) {
                replaced.push(parse_quote!(if #switch { return #value; }));
            }
        }
        block.stmts.splice(0..0, replaced);
        self.function = outer;
    }
}

/// Values that a function with this return type might return instead.
fn simple_values(output: &ReturnType) -> Vec<(Expr, String)> {
    let texts: Vec<&str> = match output {
        ReturnType::Default => vec!["()"],
        ReturnType::Type(_, returned) => match &**returned {
            Type::Path(path) => {
                let last = path.path.segments.last().expect("a type has a name");
                let argument = last.arguments.to_token_stream().to_string();
                match last.ident.to_string().as_str() {
                    "bool" => vec!["true", "false"],
                    "u8" | "u32" | "u64" | "u128" | "usize" | "i64" | "i128" => vec!["0", "1"],
                    "f64" => vec!["0.0", "1.0", "-1.0"],
                    "Option" => vec!["None"],
                    "Vec" => vec!["Vec::new()"],
                    "String" => vec!["String::new()"],
                    "Result" if argument.is_empty() || argument.starts_with("< ()") || argument.starts_with("<()") => {
                        vec!["Ok(())"]
                    }
                    "Result" if argument.starts_with("< bool") => vec!["Ok(true)", "Ok(false)"],
                    "Result" if argument.starts_with("< Option") => vec!["Ok(None)"],
                    "Float" | "Fraction" | "Enclosure" => vec!["Self::zero()", "Self::one()"],
                    "Interval" if argument.is_empty() => vec!["Interval::ZERO"],
                    "Ordering" => vec!["Ordering::Less", "Ordering::Equal", "Ordering::Greater"],
                    _ => vec![],
                }
            }
            _ => vec![],
        },
    };
    texts.into_iter().map(|text| (syn::parse_str(text).expect("an expression"), text.to_owned())).collect()
}

/// The operators that replace another one.
fn neighbours(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">", "=="],
        BinOp::Gt(_) => &[">=", "<", "=="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["*", "%"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::BitXor(_) => &["&", "|"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

impl VisitMut for Mutator {
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        let attributes = match item {
            syn::Item::Mod(module) => &module.attrs,
            // Constants cannot be switched at run time.
            syn::Item::Const(_) => return,
            _ => return visit_mut::visit_item_mut(self, item),
        };
        if !attributes.iter().any(|attribute| attribute.to_token_stream().to_string().contains("test")) {
            visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        if function.sig.constness.is_none() {
            self.function(&function.sig.ident, &function.sig.output, &mut function.block, |mutator, block| {
                mutator.visit_block_mut(block)
            });
        }
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            self.function(&function.sig.ident, &function.sig.output, &mut function.block, |mutator, block| {
                mutator.visit_block_mut(block)
            });
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        if !matches!(statement, Stmt::Item(_)) {
            visit_mut::visit_stmt_mut(self, statement);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        let place = arm.guard.as_ref().map(|(_, guard)| guard.span());
        visit_mut::visit_arm_mut(self, arm);
        let (Some(place), Some((_, guard))) = (place, &mut arm.guard) else { return };
        if !matches!(**guard, Expr::Let(_)) {
            for (what, is_true) in [("a guard is true", true), ("a guard is false", false)] {
                if let Some(switch) = self.switch(place, what) {
                    let old = guard.clone();
                    **guard = if is_true { parse_quote!(#switch || (#old)) } else { parse_quote!(!#switch && (#old)) };
                }
            }
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        // A chain with `let` must stay one.
        let is_chain = expression_has_let(expression);
        visit_mut::visit_expr_mut(self, expression);
        if is_chain {
            return;
        }
        match expression {
            Expr::Binary(binary) => {
                let (left, right, operator) = (&binary.left, &binary.right, &binary.op);
                let place = operator.span();
                let mut arms = Vec::new();
                for neighbour in neighbours(operator) {
                    let other: BinOp = syn::parse_str(neighbour).expect("an operator");
                    let what = format!("{neighbour} for {}", operator.to_token_stream());
                    if let Some(switch) = self.switch(place, &what) {
                        arms.push((switch, other));
                    }
                }
                if arms.is_empty() {
                    return;
                }
                let (switches, others): (Vec<Expr>, Vec<BinOp>) = arms.into_iter().unzip();
                *expression = match operator {
                    // Each side is evaluated once.
                    BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Gt(_) | BinOp::Le(_) | BinOp::Ge(_) => {
                        parse_quote!(
                            (match (&(#left), &(#right)) { (l, r) => #(if #switches { l #others r } else)* { l #operator r } })
                        )
                    }
                    BinOp::And(_) | BinOp::Or(_) => {
                        parse_quote!((#(if #switches { (#left) #others (#right) } else)* { (#left) #operator (#right) }))
                    }
                    _ if quote!(#operator).to_string().ends_with('=') => {
                        parse_quote!({ #(if #switches { #left #others #right } else)* { #left #operator #right } })
                    }
                    _ => {
                        parse_quote!((match ((#left), (#right)) { (l, r) => #(if #switches { l #others r } else)* { l #operator r } }))
                    }
                };
            }
            Expr::Unary(unary) => {
                let inner = &unary.expr;
                match unary.op {
                    UnOp::Not(_) => {
                        if let Some(switch) = self.switch(unary.op.span(), "no !") {
                            *expression = parse_quote!((#switch != !(#inner)));
                        }
                    }
                    UnOp::Neg(_) => {
                        if let Some(switch) = self.switch(unary.op.span(), "no -") {
                            *expression = parse_quote!((match (#inner) { v => if #switch { v } else { -v } }));
                        }
                    }
                    _ => {}
                }
            }
            // If there is an arm `_`, any other arm can be left out.
            Expr::Match(matched)
                if matched.arms.iter().any(|arm| matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none()) =>
            {
                for arm in matched.arms.iter_mut().filter(|arm| !matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none())
                {
                    if let Some(switch) = self.switch(arm.pat.span(), "no arm") {
                        arm.guard = Some((Default::default(), parse_quote!(!#switch)));
                    }
                }
            }
            _ => {}
        }
    }
}

fn expression_has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => expression_has_let(&binary.left) || expression_has_let(&binary.right),
        _ => false,
    }
}
