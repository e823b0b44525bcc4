//! Evaluates expressions of a unit to paths and texts, if no command has to run for that. Strings may be partly known.
//! [`super::values`] evaluates the other expressions.
//!
//! In a string, [`UNKNOWN`] stands for an unknown part, and [`TOP`] for the top directory of the repository.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::module::terragrunt::TerragruntFile;
use crate::session::terragrunt::files::Files;
use crate::syntax::{Expr, ExprKind, Part, Step, Template, Traversal};
use crate::value::Function;
use crate::vfs::{ancestors, join, last_name, parent, relative};

/// Any text.
pub(super) const UNKNOWN: char = '\u{1}';

/// The top directory of the repository, whatever its absolute path.
pub(super) const TOP: char = '\0';

/// What an expression counts in the steps that all units share.
const OF_EXPRESSION: usize = 8;

/// The largest number of expressions that are evaluated for one unit.
const MOST_STEPS: u32 = 10_000;

/// The largest number of locals that refer to each other in a chain.
pub(super) const DEEPEST: u32 = 32;

/// The largest length of a path in bytes.
const LONGEST_PATH: usize = 4096;

/// The function that reads the configuration in another file.
pub(super) const READ: &str = "read_terragrunt_config";

/// What the `source` of a unit leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The module in a directory.
    Module(SmolStr),
    /// Any module whose path matches.
    Pattern(String),
    /// The same in another repository, which may be this one under its address.
    Remote(String),
    /// No module of the repository.
    Elsewhere,
}

/// A `source`: the path of its file, and its place there.
pub(super) type SourcePlace = (SmolStr, (usize, usize));

/// A unit with the files that it includes.
pub(super) struct Scope<'a, 's> {
    pub(super) files: &'a mut Files<'s>,
    path: &'a SmolStr,
    /// The directory of the unit.
    unit: &'a str,
    file: Arc<TerragruntFile>,
    pub(super) includes: Vec<Included>,
    /// Whether an included file could not be read.
    pub(super) lacks_include: bool,
    /// The files that `read_terragrunt_config` reads.
    pub(super) configurations: Vec<Configuration>,
    /// Whether environment variables have the values that the unit gives as a default.
    assumes_defaults: bool,
    pub(super) read: Read,
    steps: u32,
    depth: u32,
}

/// The files that a unit reads in addition to its own.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Files that it includes or copies.
    pub(super) files: BTreeSet<SmolStr>,
    /// The directories of files that it copies into the module.
    pub(super) copied: BTreeSet<SmolStr>,
}

pub(super) struct Included {
    name: SmolStr,
    path: SmolStr,
    directory: SmolStr,
    file: Arc<TerragruntFile>,
    is_merged: bool,
}

/// A file that `read_terragrunt_config` reads.
pub(super) struct Configuration {
    path: SmolStr,
    file: Arc<TerragruntFile>,
}

/// The file of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum At {
    Unit,
    /// The index of the included file.
    Included(usize),
    /// The index of a file that `read_terragrunt_config` reads.
    Read(usize),
}

/// The local value that a reference leads to.
pub(super) struct Local {
    pub(super) name: SmolStr,
    pub(super) at: At,
    /// The number of steps of the reference up to it.
    pub(super) steps: usize,
}

impl<'a, 's> Scope<'a, 's> {
    pub(super) fn new(
        path: &'a SmolStr,
        unit: &'a str,
        file: &Arc<TerragruntFile>,
        files: &'a mut Files<'s>,
    ) -> Self {
        let mut scope = Self {
            files,
            path,
            unit,
            file: file.clone(),
            includes: Vec::new(),
            lacks_include: false,
            configurations: Vec::new(),
            assumes_defaults: false,
            read: Read::default(),
            steps: 0,
            depth: 0,
        };
        for include in &file.includes {
            let path = scope.text(&include.path, At::Unit);
            let path = path_from_top(&path, unit).map(SmolStr::from);
            let file = path.as_ref().and_then(|path| {
                scope.read.files.insert(path.clone());
                scope.files.parsed(path)
            });
            match (path, file) {
                (Some(path), Some(file)) => scope.includes.push(Included {
                    name: include.name.clone(),
                    directory: parent(&path).unwrap_or_default().into(),
                    path,
                    file,
                    is_merged: include.is_merged,
                }),
                _ => scope.lacks_include |= include.is_merged,
            }
        }
        scope
    }

    /// The module that the unit runs. `None` without a `source`.
    pub(super) fn target(&mut self) -> Option<Target> {
        let target = self.target_of_source()?;
        let is_unknown = |pattern: &String| pattern.chars().all(|c| c == UNKNOWN || c == '/');
        if !matches!(&target, Target::Pattern(pattern) if is_unknown(pattern)) {
            return Some(target);
        }
        // Such a `source` is usually replaced as a whole, by a copy of the module elsewhere.
        self.assumes_defaults = true;
        let by_default = self.target_of_source();
        self.assumes_defaults = false;
        by_default.filter(|target| matches!(target, Target::Module(_) | Target::Elsewhere)).or(Some(target))
    }

    fn target_of_source(&mut self) -> Option<Target> {
        let merged = self.merged();
        let (file, at) = merged.iter().find(|(file, _)| file.source.is_some())?;
        let source = self.text(file.source.as_ref()?, *at);
        let source = source.split('?').next().unwrap_or_default();
        // The path of the repository starts a new path, whatever is before it.
        let local = source.rfind(TOP).map_or(source, |top| &source[top..]);
        let local = local.strip_prefix("git::").unwrap_or(local);
        let is_path = local.starts_with(TOP)
            || local.starts_with(UNKNOWN)
            || [".", ".."].contains(&local.split('/').next().unwrap_or_default())
            || path_from_top(local, self.unit).is_some_and(|path| self.files.is_there(path));
        if !is_path {
            return Some(in_remote(source));
        }
        if local.starts_with(UNKNOWN) {
            return Some(Target::Pattern(local.to_owned()));
        }
        Some(match pattern_from_top(local, self.unit) {
            Some(path) if path.contains(UNKNOWN) => Target::Pattern(format!("/{path}")),
            Some(path) => Target::Module(self.files.real(path.into())),
            None => Target::Elsewhere,
        })
    }

    /// The place of the `source`.
    pub(super) fn source_place(&self) -> Option<SourcePlace> {
        let merged = self.merged();
        let (source, at) =
            merged.iter().find_map(|(file, at)| Some((file.source.as_ref()?.span.range(), *at)))?;
        let path = match at {
            At::Included(number) => &self.includes[number].path,
            At::Unit | At::Read(_) => self.path,
        };
        Some((path.clone(), (source.start, source.end)))
    }

    /// The unit and the included files that become part of it, the last first.
    pub(super) fn merged(&self) -> Vec<(Arc<TerragruntFile>, At)> {
        let includes = self.includes.iter().enumerate().rev().filter(|(_, include)| include.is_merged);
        let includes = includes.map(|(number, include)| (include.file.clone(), At::Included(number)));
        std::iter::once((self.file.clone(), At::Unit)).chain(includes).collect()
    }

    /// Evaluates an expression to a string.
    pub(super) fn text(&mut self, expr: &Expr, at: At) -> String {
        if !self.may_go_on() {
            return UNKNOWN.into();
        }
        let text = match &expr.kind {
            ExprKind::Template(template) => Some(self.template(template, at)),
            ExprKind::JsonString(string) => {
                string.template.as_ref().ok().map(|template| self.template(template, at))
            }
            ExprKind::Parens(inner) => Some(self.text(inner, at)),
            ExprKind::Traversal(traversal) => self.local(traversal, at, Self::text),
            ExprKind::Call(call) if is_of_paths(&call.name) => {
                let arguments: Vec<String> =
                    call.arguments.iter().map(|argument| self.text(argument, at)).collect();
                self.call(&call.name, &arguments, at)
            }
            _ => None,
        };
        let text = text.or_else(|| self.computed(expr, at)).unwrap_or_else(|| UNKNOWN.into());
        if text.len() > LONGEST_PATH { UNKNOWN.into() } else { text }
    }

    fn template(&mut self, template: &Template, at: At) -> String {
        let mut text = String::new();
        for part in &template.parts {
            match part {
                Part::Literal { text: literal, .. } => text.push_str(literal),
                Part::Interpolation(expr) => text.push_str(&self.text(expr, at)),
                Part::If(_) | Part::For(_) => text.push(UNKNOWN),
            }
            if text.len() > LONGEST_PATH {
                break;
            }
        }
        text
    }

    /// Evaluates the local value that a reference names, in the same file or in another one.
    pub(super) fn local<T>(
        &mut self,
        traversal: &Traversal,
        at: At,
        look: impl FnOnce(&mut Self, &Expr, At) -> T,
    ) -> Option<T> {
        let local = self.named_local(&traversal.root, &traversal.steps, at)?;
        if local.steps < traversal.steps.len() || self.depth >= DEEPEST {
            return None;
        }
        let file = self.file_at(local.at);
        self.depth += 1;
        let seen = look(self, file.locals.get(&local.name)?, local.at);
        self.depth -= 1;
        Some(seen)
    }

    /// Finds the local value that a reference leads to, also through `read_terragrunt_config`.
    pub(super) fn named_local(&mut self, root: &str, steps: &[Step], at: At) -> Option<Local> {
        let name = |place: usize| steps.get(place).and_then(Step::name);
        let included = |name: &str| self.includes.iter().position(|include| include.name == name);
        let mut local = match root {
            "local" => Local { name: name(0)?.clone(), at, steps: 1 },
            "include" if name(1)? == "locals" => {
                Local { name: name(2)?.clone(), at: At::Included(included(name(0)?)?), steps: 3 }
            }
            _ => return None,
        };
        loop {
            let file = self.file_at(local.at);
            let value = file.locals.get(&local.name).filter(|_| self.may_go_on())?;
            let (ExprKind::Call(call), Some("locals"), Some(next)) =
                (&value.kind, name(local.steps).map(SmolStr::as_str), name(local.steps + 1))
            else {
                return Some(local);
            };
            if call.name != READ {
                return Some(local);
            }
            let path = self.text_below(call.arguments.first()?, local.at);
            let at = self.configuration(&path, local.at)?;
            local = Local { name: next.clone(), at, steps: local.steps + 2 };
        }
    }

    /// Like [`Self::text`], one level of locals deeper.
    fn text_below(&mut self, expr: &Expr, at: At) -> String {
        if self.depth >= DEEPEST {
            return UNKNOWN.into();
        }
        self.depth += 1;
        let text = self.text(expr, at);
        self.depth -= 1;
        text
    }

    /// Reads the file that `read_terragrunt_config` names.
    pub(super) fn configuration(&mut self, path: &str, at: At) -> Option<At> {
        let path = SmolStr::from(path_from_top(path, &self.directory(at))?);
        self.read.files.insert(path.clone());
        let known = self.configurations.iter().position(|known| known.path == path);
        let number = known.or_else(|| {
            let file = self.files.parsed(&path)?;
            self.configurations.push(Configuration { path, file });
            Some(self.configurations.len() - 1)
        });
        number.map(At::Read)
    }

    pub(super) fn file_at(&self, at: At) -> Arc<TerragruntFile> {
        match at {
            At::Unit => self.file.clone(),
            At::Included(number) => self.includes[number].file.clone(),
            At::Read(number) => self.configurations[number].file.clone(),
        }
    }

    /// The directory of a file.
    pub(super) fn directory(&self, at: At) -> SmolStr {
        match at {
            At::Unit => self.unit.into(),
            At::Included(number) => self.includes[number].directory.clone(),
            At::Read(number) => parent(&self.configurations[number].path).unwrap_or_default().into(),
        }
    }

    /// The result of a function that Terragrunt adds, or of one for paths. `None` if it is unknown.
    pub(super) fn call(&mut self, function: &str, arguments: &[String], at: At) -> Option<String> {
        let first = arguments.first().map(String::as_str);
        // An included file is part of the unit.
        let own = if let At::Read(_) = at { self.directory(at) } else { self.unit.into() };
        Some(match function {
            "get_terragrunt_dir" => from_top(&own),
            "get_original_terragrunt_dir" => from_top(self.unit),
            "get_repo_root" => TOP.into(),
            "get_path_from_repo_root" => own.into(),
            "get_path_to_repo_root" => relative(&own, ""),
            "get_parent_terragrunt_dir" => from_top(&self.include_directory(at, first)?),
            "path_relative_to_include" => relative(&self.include_directory(at, first)?, &own),
            "path_relative_from_include" => relative(&own, &self.include_directory(at, first)?),
            "find_in_parent_folders" => {
                let found = self.find_above(&own, first.unwrap_or("terragrunt.hcl"));
                found.map(|path| from_top(&path)).or_else(|| arguments.get(1).cloned())?
            }
            "get_env" => arguments.get(1).filter(|_| self.assumes_defaults)?.clone(),
            "file" => self.content(first?, at)?,
            "dirname" => {
                let (directory, _) = first?.rsplit_once('/').filter(|(_, name)| !name.contains(UNKNOWN))?;
                directory.to_owned()
            }
            "basename" => first.map(last_name).filter(|name| !name.contains([UNKNOWN, TOP]))?.to_owned(),
            _ => return None,
        })
    }

    /// The directory of the included file with this name, or of the first one, or of the unit if it includes none.
    /// `None` in another file with own includes.
    fn include_directory(&self, at: At, name: Option<&str>) -> Option<SmolStr> {
        let include = match at {
            At::Unit => match name {
                Some(name) => self.includes.iter().find(|include| include.name == name),
                None => self.includes.first(),
            },
            At::Included(number) => self.includes.get(number),
            At::Read(number) => {
                let has_includes = !self.configurations[number].file.includes.is_empty();
                return (!has_includes).then(|| self.directory(at));
            }
        };
        Some(include.map_or_else(|| self.unit.into(), |include| include.directory.clone()))
    }

    /// The nearest file or directory with this name above a directory.
    fn find_above(&mut self, directory: &str, name: &str) -> Option<String> {
        if name.contains([UNKNOWN, TOP]) {
            return None;
        }
        ancestors(directory)
            .skip(1)
            .filter_map(|directory| join(directory, name))
            .find(|path| self.files.is_there(path.clone()))
    }

    /// Whether the limit was reached, so that the rest is unknown.
    pub(super) fn has_stopped(&self) -> bool {
        self.steps >= MOST_STEPS || self.files.steps_left() == 0
    }

    pub(super) fn may_go_on(&mut self) -> bool {
        self.steps += 1;
        self.files.take_steps(OF_EXPRESSION);
        !self.has_stopped()
    }
}

/// Whether [`Scope::call`] computes a function from partly known strings.
fn is_of_paths(function: &str) -> bool {
    ["dirname", "basename", "file"].contains(&function) || is_of_terragrunt(function)
}

/// Whether a function is one that Terragrunt adds.
pub(super) fn is_of_terragrunt(function: &str) -> bool {
    Function::named(function).is_none()
}

/// The path of a file or a directory of the repository.
fn from_top(path: &str) -> String {
    if path.is_empty() { TOP.into() } else { format!("{TOP}/{path}") }
}

/// The module that the part of a source after `//` names, if the source is this repository.
fn in_remote(source: &str) -> Target {
    let Some((before, inside)) = source.rsplit_once("//") else { return Target::Elsewhere };
    let is_known = inside.contains(|c| c != UNKNOWN && c != '/');
    if is_known && !before.ends_with(':') {
        Target::Remote(format!("{UNKNOWN}/{inside}"))
    } else {
        Target::Elsewhere
    }
}

/// The path from the top of the repository. `None` if it is unknown or outside.
pub(super) fn path_from_top(text: &str, directory: &str) -> Option<String> {
    pattern_from_top(text, directory).filter(|path| !path.contains(UNKNOWN))
}

/// Like [`path_from_top`], with possibly unknown names.
pub(super) fn pattern_from_top(text: &str, directory: &str) -> Option<String> {
    match text.strip_prefix(TOP) {
        Some(inside) => join("", inside),
        None if text.starts_with(['/', UNKNOWN]) || text.is_empty() || text.contains(TOP) => None,
        None => join(directory, text),
    }
}
