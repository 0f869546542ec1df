//! The checker from outside: certificates, models, and the program.

mod folders;
mod readers;
