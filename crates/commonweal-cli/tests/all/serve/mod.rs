//! `commonweal serve` from outside, over its socket.

mod attacks;
mod contract;
mod files;
mod openapi;
mod serving;
