//! Tests with real git in temporary repositories: the content of an index or commit, the modules that a change
//! affects, and the findings in it.

mod affected;
mod affected_null;
mod affected_same_values;
mod affected_sound_values;
mod affected_values;
mod change;
mod changed;
mod commit;
mod content;
mod dice;
#[cfg(unix)]
mod embedded;
mod exceptions;
mod fix;
#[cfg(unix)]
mod hostile;
mod identity;
mod interfaces;
#[cfg(unix)]
mod links;
mod locks;
mod memory;
mod merge;
mod modules;
mod named_files;
mod partial;
mod place;
mod providers;
mod random;
mod states;
mod terragrunt;
mod test_files;
mod trusted;
mod unopened;
mod values;
mod working_tree;
