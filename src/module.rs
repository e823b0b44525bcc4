//! What the files of one folder declare.

pub mod address;
