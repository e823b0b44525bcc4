//! Checkstyle XML, which many CI systems and editors read: <https://checkstyle.org/>.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::place::{Place, Places};
use super::xml::{attribute, document};
use super::{Report, prose};
use crate::check::Verdict;
use crate::finding::Severity;

/// The oldest version with all parts that are used. Readers do not expect a newer one.
const VERSION: &str = "4.3";

/// Writes the report: an element per file.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Report { outcome, sources, style } = *report;
    let places = Places::new(sources, &style.names);
    let mut files: BTreeMap<String, Vec<&Verdict>> = BTreeMap::new();
    for verdict in &outcome.verdicts {
        files.entry(attribute(&places.of(verdict).file)).or_default().push(verdict);
    }
    document(out, |xml| {
        let root = xml.create_element("checkstyle").with_attribute(("version", VERSION));
        if files.is_empty() {
            return root.write_empty().map(drop);
        }
        let files = root.write_inner_content(|xml| {
            for (file, verdicts) in &files {
                let file = xml.create_element("file").with_attribute(("name", file.as_str()));
                file.write_inner_content(|xml| {
                    for verdict in verdicts {
                        let attributes = error(verdict, &places.of(verdict));
                        let attributes = attributes.iter().map(|(name, value)| (*name, value.as_str()));
                        xml.create_element("error").with_attributes(attributes).write_empty()?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        });
        files.map(drop)
    })
}

/// The attributes of an `error` element.
fn error(verdict: &Verdict, place: &Place) -> Vec<(&'static str, String)> {
    let severity = match verdict.level {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "info",
    };
    let mut attributes = vec![("line", place.line().to_string())];
    if let Some(region) = place.region {
        attributes.push(("column", region.start.column.to_string()));
    }
    attributes.push(("severity", severity.to_owned()));
    attributes.push(("message", attribute(&prose::sentence(verdict))));
    attributes.push(("source", attribute(&format!("overrule.{}", verdict.finding.rule.as_str()))));
    attributes
}
