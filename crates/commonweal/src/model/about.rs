//! The name and the description of a model, and what one step is called.

/// The name, the description and the step's name of a model. Reports show them; they do not change an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The name of the model.
    pub name: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What one step is called, such as `year`; `step` unless the model says otherwise.
    pub step: Option<String>,
}

impl About {
    /// What one step is called.
    pub fn step(&self) -> &str {
        self.step.as_deref().unwrap_or("step")
    }

    /// Whether a step is several of something: `3 months`.
    pub fn step_is_counted(&self) -> bool {
        self.step().starts_with(|first: char| first.is_ascii_digit())
    }

    /// What several steps are called: `years`, `centuries`, `batches`, `steps of 3 months`.
    pub fn steps(&self) -> String {
        let one = self.step();
        if self.step_is_counted() {
            return format!("steps of {one}");
        }
        let before_y = one.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
        match before_y {
            Some(stem) if !stem.is_empty() => format!("{stem}ies"),
            _ if ["s", "x", "z", "ch", "sh"].iter().any(|end| one.ends_with(end)) => format!("{one}es"),
            _ => format!("{one}s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::About;

    #[test]
    fn several_steps_are_called_as_in_english() {
        let plural = |step: &str| About { step: Some(step.to_owned()), ..About::default() }.steps();
        let cases = [
            ("year", "years"),
            ("day", "days"),
            ("century", "centuries"),
            ("batch", "batches"),
            ("y", "ys"),
            ("3 months", "steps of 3 months"),
        ];
        for (one, many) in cases {
            assert_eq!(plural(one), many);
        }
        assert_eq!((About::default().step(), About::default().steps().as_str()), ("step", "steps"));
    }
}
