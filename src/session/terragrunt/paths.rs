//! Evaluates expressions of a unit to paths and texts, if no command has to run for that.
//!
//! In a string, [`UNKNOWN`] stands for an unknown part, and [`TOP`] for the top directory of the repository.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::is_module_file;
use crate::module::terragrunt::{Generated, GeneratedFile, STAND_IN, TerragruntFile};
use crate::session::terragrunt::files::Files;
use crate::syntax::{self, Call, Expr, ExprKind, Notation, Part, StepKind, Template, Traversal};
use crate::vfs::{ancestors, join, last_name, parent, relative};

/// Any text.
pub(super) const UNKNOWN: char = '\u{1}';

/// The top directory of the repository, whatever its absolute path.
const TOP: char = '\0';

/// The largest number of expressions that are evaluated for one unit.
const MOST_STEPS: u32 = 10_000;

/// The largest number of locals that refer to each other in a chain.
const DEEPEST: u32 = 32;

/// The largest length of a path in bytes.
const LONGEST_PATH: usize = 4096;

/// The marker of a heredoc.
const MARK: &str = "END_OF_TEMPLATE_FILE";

/// The largest size of a generated file in bytes.
const LARGEST_FILE: usize = 1 << 17;

/// What the `source` of a unit leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The module in a directory.
    Module(SmolStr),
    /// Any module whose path matches.
    Pattern(String),
    /// No module of the repository.
    Elsewhere,
}

/// A unit with the files that it includes.
pub(super) struct Scope<'a, 's> {
    files: &'a mut Files<'s>,
    /// The directory of the unit.
    unit: &'a str,
    file: Arc<TerragruntFile>,
    includes: Vec<Included>,
    /// Whether an included file could not be read.
    lacks_include: bool,
    read: Read,
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

struct Included {
    name: SmolStr,
    directory: SmolStr,
    file: Arc<TerragruntFile>,
    is_merged: bool,
}

/// The file of an expression.
#[derive(Clone, Copy)]
enum At {
    Unit,
    /// The index of the included file.
    Included(usize),
}

impl<'a, 's> Scope<'a, 's> {
    pub(super) fn new(unit: &'a str, file: &Arc<TerragruntFile>, files: &'a mut Files<'s>) -> Self {
        let (includes, read) = (Vec::new(), Read::default());
        let (steps, depth, lacks_include) = (0, 0, false);
        let mut scope = Self { files, unit, file: file.clone(), includes, lacks_include, read, steps, depth };
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
                    file,
                    is_merged: include.is_merged,
                }),
                _ => scope.lacks_include |= include.is_merged,
            }
        }
        scope
    }

    /// The files that the unit has read so far.
    pub(super) fn into_read(self) -> Read {
        self.read
    }

    /// The module that the unit runs. `None` without a `source`.
    pub(super) fn target(&mut self) -> Option<Target> {
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
            Some(path) => Target::Module(path.into()),
            None => Target::Elsewhere,
        })
    }

    /// The declarations in the files that the unit generates.
    pub(super) fn generated(&mut self) -> Generated {
        let merged = self.merged();
        let mut all = Generated::default();
        if self.lacks_include || merged.iter().any(|(file, _)| file.adds_files) {
            all = Generated::unknown();
        }
        for (file, at) in &merged {
            for generated in &file.generated {
                all.add(&self.generated_by(generated, *at));
            }
        }
        all
    }

    fn generated_by(&mut self, file: &GeneratedFile, at: At) -> Generated {
        let path = file.path.as_ref().map(|path| self.text(path, at)).unwrap_or_default();
        let is_known = !path.is_empty() && !path.contains(UNKNOWN);
        if is_known && !is_module_file(last_name(&path)) {
            return Generated::default();
        }
        let Some(contents) = &file.contents else { return Generated::unknown() };
        match self.contents(contents, at).filter(|_| Notation::of(&path) == Notation::Native) {
            Some(text) => self.files.generated(text),
            None => Generated::unknown(),
        }
    }

    /// The unit and the included files that become part of it, the last first.
    fn merged(&self) -> Vec<(Arc<TerragruntFile>, At)> {
        let includes = self.includes.iter().enumerate().rev().filter(|(_, include)| include.is_merged);
        let includes = includes.map(|(number, include)| (include.file.clone(), At::Included(number)));
        std::iter::once((self.file.clone(), At::Unit)).chain(includes).collect()
    }

    /// Evaluates an expression to the content of a file, with placeholders for unknown parts.
    fn contents(&mut self, expr: &Expr, at: At) -> Option<String> {
        match &expr.kind {
            ExprKind::Template(template) => {
                let mut text = String::new();
                self.append(template, at, &mut text)?;
                Some(text)
            }
            ExprKind::JsonString(string) => {
                let mut text = String::new();
                self.append(string.template.as_ref().ok()?, at, &mut text)?;
                Some(text)
            }
            ExprKind::Parens(inner) => self.contents(inner, at),
            ExprKind::Traversal(traversal) => self.local(traversal, at, Self::contents).flatten(),
            ExprKind::Call(call) if call.name == "file" => self.file(call, at),
            ExprKind::Call(call) if call.name == "templatefile" => {
                let text = self.file(call, at)?;
                // The content of a file is a template without the markers that it has in an expression.
                let template = syntax::parse_expression(&format!("<<{MARK}\n{text}\n{MARK}\n")).ok()?;
                self.contents(&template, at)
            }
            _ => {
                // It is unknown which of these files is copied.
                let mut calls = Vec::new();
                expr.walk(&mut |inner, _| {
                    if let ExprKind::Call(call) = &inner.kind
                        && ["file", "templatefile"].contains(&call.name.as_str())
                    {
                        calls.push(call);
                    }
                });
                for call in calls {
                    self.file(call, at);
                }
                None
            }
        }
    }

    fn append(&mut self, template: &Template, at: At, text: &mut String) -> Option<()> {
        for part in &template.parts {
            let before = text.len();
            match part {
                Part::Literal { text: literal, .. } => text.push_str(literal),
                Part::Interpolation(expr) => {
                    let known = self.contents(expr, at).or_else(|| {
                        let text = self.text(expr, at);
                        (!text.contains([UNKNOWN, TOP])).then_some(text)
                    });
                    text.push_str(known.as_deref().unwrap_or(STAND_IN));
                }
                Part::If(directive) => {
                    self.append(&directive.then, at, text)?;
                    if let Some(otherwise) = &directive.otherwise {
                        self.append(otherwise, at, text)?;
                    }
                }
                Part::For(directive) => self.append(&directive.body, at, text)?,
            }
            if text.len() > LARGEST_FILE || !self.may_go_on() || !self.files.may_copy(text.len() - before) {
                return None;
            }
        }
        Some(())
    }

    /// The content of the file that the first argument of a call names.
    fn file(&mut self, call: &Call, at: At) -> Option<String> {
        let directory = match at {
            At::Unit => SmolStr::new(self.unit),
            At::Included(number) => self.includes[number].directory.clone(),
        };
        let path = self.text(call.arguments.first()?, at);
        let path = SmolStr::from(path_from_top(&path, &directory)?);
        self.read.files.insert(path.clone());
        if is_module_file(last_name(&path)) {
            self.read.copied.insert(parent(&path).unwrap_or_default().into());
        }
        let text = self.files.text(&path)?;
        let text = text.text();
        (text.len() <= LARGEST_FILE && self.files.may_copy(text.len())).then(|| text.to_owned())
    }

    /// Evaluates an expression to a string.
    fn text(&mut self, expr: &Expr, at: At) -> String {
        if !self.may_go_on() {
            return UNKNOWN.into();
        }
        let text = match &expr.kind {
            ExprKind::Template(template) => self.template(template, at),
            ExprKind::JsonString(string) => match &string.template {
                Ok(template) => self.template(template, at),
                Err(_) => UNKNOWN.into(),
            },
            ExprKind::Parens(inner) => self.text(inner, at),
            ExprKind::Traversal(traversal) => {
                self.local(traversal, at, Self::text).unwrap_or_else(|| UNKNOWN.into())
            }
            ExprKind::Call(call) => self.call(call, at).unwrap_or_else(|| UNKNOWN.into()),
            _ => UNKNOWN.into(),
        };
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

    /// Evaluates the local value that a reference names, in the same file or in an included one.
    fn local<T>(
        &mut self,
        traversal: &Traversal,
        at: At,
        look: impl FnOnce(&mut Self, &Expr, At) -> T,
    ) -> Option<T> {
        let steps = traversal.steps.iter().map(|step| match &step.kind {
            StepKind::Attribute(name) => Some(name.as_str()),
            StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_) => None,
        });
        let steps: Vec<&str> = steps.collect::<Option<_>>()?;
        let (name, at) = match (traversal.root.as_str(), steps.as_slice()) {
            ("local", [name]) => (*name, at),
            ("include", [include, "locals", name]) => {
                let number = self.includes.iter().position(|other| other.name == *include)?;
                (*name, At::Included(number))
            }
            _ => return None,
        };
        let file = match at {
            At::Unit => self.file.clone(),
            At::Included(number) => self.includes[number].file.clone(),
        };
        let local = file.locals.get(name).filter(|_| self.depth < DEEPEST)?;
        self.depth += 1;
        let seen = look(self, local, at);
        self.depth -= 1;
        Some(seen)
    }

    /// Evaluates a function call. `None` if the result is unknown.
    fn call(&mut self, call: &Call, at: At) -> Option<String> {
        let arguments: Vec<String> = call.arguments.iter().map(|argument| self.text(argument, at)).collect();
        let first = arguments.first().map(String::as_str);
        let include = self.include_directory(at, first);
        Some(match call.name.as_str() {
            "get_terragrunt_dir" | "get_original_terragrunt_dir" => format!("{TOP}/{}", self.unit),
            "get_repo_root" => TOP.into(),
            "get_path_from_repo_root" => self.unit.to_owned(),
            "get_path_to_repo_root" => relative(self.unit, ""),
            "get_parent_terragrunt_dir" => format!("{TOP}/{include}"),
            "path_relative_to_include" => relative(&include, self.unit),
            "path_relative_from_include" => relative(self.unit, &include),
            "find_in_parent_folders" => {
                let name = first.unwrap_or("terragrunt.hcl");
                let found = self.find_above(name).map(|path| format!("{TOP}/{path}"));
                found.or_else(|| arguments.get(1).cloned())?
            }
            "dirname" => {
                let (directory, _) = first?.rsplit_once('/').filter(|(_, name)| !name.contains(UNKNOWN))?;
                directory.to_owned()
            }
            "basename" => first.map(last_name).filter(|name| !name.contains([UNKNOWN, TOP]))?.to_owned(),
            _ => return None,
        })
    }

    /// The directory of the included file with this name, or of the first one, or of the unit if it includes none.
    fn include_directory(&self, at: At, name: Option<&str>) -> SmolStr {
        let include = match at {
            At::Unit => match name {
                Some(name) => self.includes.iter().find(|include| include.name == name),
                None => self.includes.first(),
            },
            At::Included(number) => self.includes.get(number),
        };
        include.map_or_else(|| self.unit.into(), |include| include.directory.clone())
    }

    /// The nearest file or directory with this name above the unit.
    fn find_above(&mut self, name: &str) -> Option<String> {
        if name.contains([UNKNOWN, TOP]) {
            return None;
        }
        ancestors(self.unit)
            .skip(1)
            .filter_map(|directory| join(directory, name))
            .find(|path| self.files.is_there(path.clone()))
    }

    fn may_go_on(&mut self) -> bool {
        self.steps += 1;
        self.steps < MOST_STEPS
    }
}

/// The module that the part of a source after `//` names, if the source is this repository.
fn in_remote(source: &str) -> Target {
    let Some((before, inside)) = source.rsplit_once("//") else { return Target::Elsewhere };
    let is_known = inside.contains(|c| c != UNKNOWN && c != '/');
    if is_known && !before.ends_with(':') {
        Target::Pattern(format!("{UNKNOWN}/{inside}"))
    } else {
        Target::Elsewhere
    }
}

/// The path from the top of the repository. `None` if it is unknown or outside.
fn path_from_top(text: &str, directory: &str) -> Option<String> {
    pattern_from_top(text, directory).filter(|path| !path.contains(UNKNOWN))
}

/// Like [`path_from_top`], with possibly unknown names.
fn pattern_from_top(text: &str, directory: &str) -> Option<String> {
    match text.strip_prefix(TOP) {
        Some(inside) => join("", inside),
        None if text.starts_with(['/', UNKNOWN]) || text.is_empty() || text.contains(TOP) => None,
        None => join(directory, text),
    }
}
