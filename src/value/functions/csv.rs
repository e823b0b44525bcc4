//! `csvdecode`: parses CSV by the rules of Go's `encoding/csv`, which are stricter than those of most parsers.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::signature::{FunctionError, Outcome, text};
use crate::value::data::normal;
use crate::value::{Attribute, Type, Value};

/// Above this number of fields, the value is unknown.
const MOST_FIELDS: usize = 50_000;

pub(super) fn csvdecode(arguments: &[Value]) -> Outcome {
    let mut rows = Rows { rest: text(arguments, 0)? };
    let wrong = |why: &str| FunctionError::of_call(why);
    let Some(names) = rows.next_row().map_err(wrong)? else { return Err(wrong("there is no header line")) };
    let names: Vec<SmolStr> = names.into_iter().map(|name| normal(name.into())).collect();
    let mut seen = BTreeSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(*name)) {
        return Err(wrong(&format!("there are two columns named {name:?}")));
    }
    let ty = Type::object(names.iter().map(|name| (name.clone(), Attribute::required(Type::String))));
    let (mut table, mut fields) = (Vec::new(), 0);
    while let Some(row) = rows.next_row().map_err(wrong)? {
        if row.len() != names.len() {
            return Err(wrong("the number of fields is not the same in every row"));
        }
        fields += row.len();
        // Errors in the remaining rows must still be found.
        if fields <= MOST_FIELDS {
            let fields = names.iter().cloned().zip(row.into_iter().map(Value::string));
            table.push(Value::Object(fields.collect()));
        }
    }
    Ok(if fields > MOST_FIELDS { Value::Unknown(Type::list(ty)) } else { Value::List(ty, table) })
}

/// The remaining rows of a table.
struct Rows<'t> {
    rest: &'t str,
}

impl<'t> Rows<'t> {
    /// The next line that is not empty, without its line ending, and whether it has one.
    fn next_line(&mut self) -> Option<(&'t str, bool)> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) =
            self.rest.split_once('\n').map_or((self.rest, None), |(line, rest)| (line, Some(rest)));
        self.rest = rest.unwrap_or_default();
        Some((line.strip_suffix('\r').unwrap_or(line), rest.is_some()))
    }

    fn next_row(&mut self) -> Result<Option<Vec<String>>, &'static str> {
        let (mut line, mut has_end) = loop {
            match self.next_line() {
                None => return Ok(None),
                Some(("", _)) => {}
                Some(line) => break line,
            }
        };
        let mut fields = Vec::new();
        loop {
            let Some(mut quoted) = line.strip_prefix('"') else {
                let (field, rest) =
                    line.split_once(',').map_or((line, None), |(field, rest)| (field, Some(rest)));
                if field.contains('"') {
                    return Err("a field without quotes holds a quote");
                }
                fields.push(field.to_owned());
                match rest {
                    Some(rest) => line = rest,
                    None => return Ok(Some(fields)),
                }
                continue;
            };
            let mut field = String::new();
            loop {
                let Some((text, rest)) = quoted.split_once('"') else {
                    field.push_str(quoted);
                    if !has_end {
                        return Err("a quote is not closed");
                    }
                    field.push('\n');
                    (quoted, has_end) = self.next_line().ok_or("a quote is not closed")?;
                    continue;
                };
                field.push_str(text);
                if let Some(rest) = rest.strip_prefix('"') {
                    field.push('"');
                    quoted = rest;
                } else if let Some(rest) = rest.strip_prefix(',') {
                    line = rest;
                    break;
                } else if rest.is_empty() {
                    fields.push(field);
                    return Ok(Some(fields));
                } else {
                    return Err("a quote that ends a field is not followed by a comma");
                }
            }
            fields.push(field);
        }
    }
}
