//! Functions that read files.

use super::signature::{FunctionError, Outcome, text};
use crate::value::{Lookup, Scope, Type, Value};
use crate::vfs::NamedFile;

pub(super) fn file(arguments: &[Value], scope: &dyn Scope) -> Outcome {
    let path = text(arguments, 0)?;
    Ok(match content(path, scope)? {
        Some(content) => Value::string(content),
        // An unknown value may not be text, which is an error.
        None => Value::UNKNOWN,
    })
}

/// The text of a file. Returns `None` if it is unknown.
pub(in crate::value) fn content(path: &str, scope: &dyn Scope) -> Result<Option<String>, FunctionError> {
    let Lookup { file, root } = scope.named_file(path);
    match file {
        NamedFile::File(Some(bytes)) => match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(FunctionError::of_call(format!(
                "the content of {path:?} is not UTF-8; functions such as `filebase64` and `filebase64sha256` read such a \
                 file without decoding it"
            ))),
        },
        NamedFile::File(None) | NamedFile::Unknown => Ok(None),
        file => Err(FunctionError::of_argument(0, absent(path, &Lookup { file, root }))),
    }
}

/// `filebase64`: only checks that the file exists, because its content is rarely used before planning.
pub(super) fn present(arguments: &[Value], scope: &dyn Scope) -> Outcome {
    let path = text(arguments, 0)?;
    let found = scope.named_file(path);
    match found.file {
        NamedFile::File(_) => Ok(Value::Unknown(Type::String)),
        NamedFile::Unknown => Ok(Value::UNKNOWN),
        _ => Err(FunctionError::of_argument(0, absent(path, &found))),
    }
}

/// The hash of a file. It is unknown, because line endings may differ between checkouts.
pub(super) fn hashed(arguments: &[Value], scope: &dyn Scope) -> Outcome {
    present(arguments, scope).map_err(|error| match error {
        FunctionError::Argument(_, why) => FunctionError::Call(why),
        other => other,
    })
}

pub(super) fn fileexists(arguments: &[Value], scope: &dyn Scope) -> Outcome {
    let path = text(arguments, 0)?;
    let Lookup { file, root } = scope.named_file(path);
    match file {
        NamedFile::File(_) => Ok(Value::Bool(true)),
        NamedFile::Missing { .. } if root.is_none() => Ok(Value::Bool(false)),
        NamedFile::Directory => Err(FunctionError::of_call(format!("{path:?} is a directory, not a file"))),
        NamedFile::BehindFile => {
            Err(FunctionError::of_call(format!("a part of the path {path:?} is a file, not a directory")))
        }
        NamedFile::Missing { .. } | NamedFile::Unknown => Ok(Value::UNKNOWN),
    }
}

/// The error for a missing file.
fn absent(path: &str, found: &Lookup) -> String {
    let place = match found.root.as_deref() {
        None => String::new(),
        Some("") => " of the module at the root of the repository".to_owned(),
        Some(root) => format!(" of the root module {root:?}"),
    };
    match &found.file {
        NamedFile::Directory => format!("{path:?} is a directory"),
        NamedFile::BehindFile => format!("a part of the path {path:?} is a file, not a directory"),
        NamedFile::Missing { other_case: Some(name) } => format!(
            "no file exists at {path:?}; the name of the file {name:?} differs in uppercase and lowercase letters"
        ),
        NamedFile::Missing { other_case: None } if found.root.is_some() => {
            format!("no file exists at {path:?}, relative to the directory{place}")
        }
        NamedFile::Missing { other_case: None } | NamedFile::File(_) | NamedFile::Unknown => {
            format!("no file exists at {path:?}")
        }
    }
}

/// `pathexpand`. A path without `~` stays as it is.
pub(super) fn pathexpand(arguments: &[Value]) -> Outcome {
    let path = text(arguments, 0)?;
    let Some(rest) = path.strip_prefix('~') else { return Ok(Value::string(path)) };
    if rest.is_empty() || rest.starts_with(['/', '\\']) {
        return Ok(Value::Unknown(Type::String));
    }
    Err(FunctionError::of_call(
        "`~` must be followed by `/`: the home directories of other users are not known",
    ))
}
