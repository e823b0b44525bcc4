//! What the terminal can show.

use std::env;
use std::io::{self, IsTerminal};

use terminal_size::{Height, Width};

use super::Color;
use crate::report::{PathStyle, Style};

/// What standard output can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terminal {
    /// Whether standard output is a terminal.
    pub(super) is_one: bool,
    pub(super) color: bool,
    pub(super) unicode: bool,
    /// The width in columns.
    pub(super) width: usize,
    /// The number of lines, if standard output is a terminal.
    pub(super) height: Option<usize>,
    /// The value of `--color`.
    pub(super) asked: Color,
}

/// The maximum width of prose.
const WIDEST: usize = 120;
/// The width without a terminal and without `COLUMNS`.
const USUAL: usize = 100;

/// Whether a workflow of GitHub runs the program, so that workflow commands become annotations.
pub(super) fn is_in_github_actions() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

impl Terminal {
    /// Examines standard output and the environment.
    pub(super) fn look(color: Color) -> Self {
        let size = terminal_size::terminal_size_of(io::stdout());
        Self::of(io::stdout().is_terminal(), size, color)
    }

    /// Examines standard error and the environment.
    pub(super) fn look_at_errors(color: Color) -> Self {
        let size = terminal_size::terminal_size_of(io::stderr());
        Self::of(io::stderr().is_terminal(), size, color)
    }

    /// The style of a report that is printed here.
    pub(super) fn style(self, names: PathStyle) -> Style {
        Style { color: self.color, unicode: self.unicode, width: self.width, names, ..Style::default() }
    }

    fn of(is_one: bool, size: Option<(Width, Height)>, color: Color) -> Self {
        let variable = |name: &str| env::var(name).ok();
        if is_one {
            // A console of Windows interprets escapes only on request.
            anstyle_query::windows::enable_ansi_colors();
        }
        let measured = size.map(|(Width(width), Height(height))| (usize::from(width), usize::from(height)));
        let columns = || variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let width = measured.map(|(width, _)| width).or_else(columns);
        Self {
            is_one,
            color: match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => shows_color(is_one, variable),
            },
            asked: color,
            unicode: shows_unicode(variable),
            // Some pseudo-terminals, such as that of pre-commit, have no size.
            width: width.filter(|width| *width > 0).unwrap_or(USUAL).min(WIDEST),
            height: measured.map(|(_, height)| height).filter(|height| *height > 0),
        }
    }
}

fn shows_color(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    is_terminal && set("TERM").as_deref() != Some("dumb") && set("CLICOLOR").as_deref() != Some("0")
}

/// Whether the encoding is UTF-8, by the first variable that is set. Without any, as in most containers, it is assumed,
/// because logs of containers are read as UTF-8.
fn shows_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(name).filter(|v| !v.is_empty()));
    let Some(locale) = locale.map(|locale| locale.to_ascii_lowercase()) else { return true };
    match locale.split_once('.') {
        Some((_, encoding)) => encoding.starts_with("utf"),
        None => locale != "c" && locale != "posix",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<'a>(variables: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn colors_follow_the_customs() {
        let color = |terminal, variables| shows_color(terminal, environment(variables));
        assert!(color(true, &[("TERM", "xterm")]));
        assert!(!color(false, &[]));
        assert!(!color(true, &[("TERM", "dumb")]));
        assert!(!color(true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(color(true, &[("NO_COLOR", "")]), "an empty variable says nothing");
        assert!(color(false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!color(false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!color(true, &[("CLICOLOR", "0")]));
    }

    #[test]
    fn drawing_follows_the_locale() {
        let unicode = |variables| shows_unicode(environment(variables));
        assert!(unicode(&[]));
        assert!(unicode(&[("LANG", "en_US.UTF-8")]));
        assert!(unicode(&[("LC_ALL", "C.utf8"), ("LANG", "C")]));
        assert!(!unicode(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]));
        assert!(!unicode(&[("LANG", "POSIX")]));
        assert!(!unicode(&[("LANG", "de_DE.ISO-8859-1")]));
    }
}
