//! Ids: 32-bit positions in the model's arrays, one type for each kind.

macro_rules! id {
    ($name:ident, $what:literal) => {
        #[doc = $what]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The position in the model's arrays.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                $name(u32::try_from(index).expect("the builder admits at most 2^32 - 1 of each kind"))
            }
        }
    };
}

id!(StateId, "A state.");
id!(ChoiceId, "A choice: an action in a state. One row of the model.");
id!(PrincipalId, "A principal of the file.");

/// Ids that kernels compute with.
macro_rules! at {
    ($($name:ident),*) => {
        $(impl $name {
            /// The id at a position that is known to be one of the model's, unchecked.
            pub(crate) const fn at(position: u32) -> Self {
                $name(position)
            }
        })*
    };
}

at!(StateId, ChoiceId);
