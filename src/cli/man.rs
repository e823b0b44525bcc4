//! `overrule man`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::{Failure, say};

/// The exit codes, which the help of a command does not list.
const EXIT_CODES: &str = r#".SH "EXIT CODES"
.TP
\fB0\fR
There are no findings that fail the run.
.TP
\fB1\fR
There are findings that fail the run.
.TP
\fB2\fR
overrule could not run the command.
"#;

/// Runs the command.
pub(super) fn run() -> Result<ExitCode, Failure> {
    let page = page().map_err(|error| Failure::new(format!("cannot write the manual page: {error}")))?;
    say(&page)
}

/// The program, its commands, and the exit codes.
fn page() -> io::Result<String> {
    let program = super::Arguments::command();
    let mut page = Vec::new();
    let man = Man::new(program.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_options_section(&mut page)?;
    write_commands(&program, program.get_name(), &mut page)?;
    page.write_all(EXIT_CODES.as_bytes())?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Writes a section for each subcommand, recursively.
fn write_commands(command: &Command, above: &str, page: &mut Vec<u8>) -> io::Result<()> {
    for subcommand in command.get_subcommands() {
        let name = format!("{above} {}", subcommand.get_name());
        // The section of the program has the global options.
        let plain = subcommand.clone().disable_help_flag(true).disable_help_subcommand(true);
        let man = Man::new(plain.bin_name(&name).display_name(&name));
        let mut sections = Vec::new();
        man.render_synopsis_section(&mut sections)?;
        man.render_description_section(&mut sections)?;
        if subcommand.get_arguments().next().is_some() {
            man.render_options_section(&mut sections)?;
        }
        writeln!(page, ".SH \"{}\"", name.to_uppercase())?;
        page.extend(String::from_utf8_lossy(&sections).replace(".SH ", ".SS ").into_bytes());
        write_commands(subcommand, &name, page)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_section_for_every_command_and_every_option_of_check() {
        let page = page().expect("memory can be written");
        assert!(page.starts_with(".ie "), "{}", &page[..40]);
        for command in super::super::Arguments::command().get_subcommands() {
            let heading = format!(".SH \"OVERRULE {}\"\n", command.get_name().to_uppercase());
            assert!(page.contains(&heading), "{heading}");
        }
        assert!(page.contains(".SH \"OVERRULE HOOK INSTALL\"\n"));
        for option in ["base", "policy\\-from", "fail\\-on", "color"] {
            assert!(page.contains(&format!("\\-\\-{option}")), "{option}");
        }
        assert!(page.ends_with(EXIT_CODES));
    }
}
