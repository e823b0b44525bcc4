//! Turns a module in its place into findings of rules beyond the engines'.

pub mod page;
