//! Determines the content of the files that units generate.

use smol_str::SmolStr;

use crate::engine::{is_module_file, is_override_file};
use crate::module::terragrunt::{Generated, GeneratedFile, STAND_IN};
use crate::session::terragrunt::paths::{At, Scope, TOP, UNKNOWN, path_from_top};
use crate::session::terragrunt::values::OF_FILES;
use crate::syntax::{self, Call, Expr, ExprKind, Notation, Part, Template};
use crate::vfs::{last_name, parent};

/// The marker of a heredoc.
const MARK: &str = "END_OF_TEMPLATE_FILE";

/// The largest size of a generated file in bytes.
const LARGEST_FILE: usize = 1 << 17;

impl Scope<'_, '_> {
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
        let contents = self.contents(contents, at).filter(|_| Notation::of(&path) == Notation::Native);
        let generated = contents.map_or_else(Generated::unknown, |text| self.files.generated(text));
        let name = path.strip_prefix("./").unwrap_or(&path);
        let is_base = is_known && !is_override_file(last_name(name));
        if generated.is_unknown && is_base && !name.contains('/') && !name.contains(".tofu") {
            Generated::unknown_base_file(name)
        } else if is_base || generated.names.is_empty() {
            generated
        } else {
            // An override file changes blocks of other files.
            Generated::unknown()
        }
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
            ExprKind::Traversal(traversal) => match self.local(traversal, at, Self::contents) {
                Some(contents) => contents,
                None => self.computed(expr, at),
            },
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
                        && OF_FILES.contains(&call.name.as_str())
                    {
                        calls.push(call);
                    }
                });
                for call in calls {
                    self.file(call, at);
                }
                self.computed(expr, at)
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
        let path = self.text(call.arguments.first()?, at);
        self.content(&path, at)
    }

    /// The content of a file.
    pub(super) fn content(&mut self, path: &str, at: At) -> Option<String> {
        let path = SmolStr::from(path_from_top(path, &self.directory(at))?);
        self.read.files.insert(path.clone());
        if is_module_file(last_name(&path)) {
            self.read.copied.insert(parent(&path).unwrap_or_default().into());
        }
        let text = self.files.text(&path)?;
        let text = text.text();
        (text.len() <= LARGEST_FILE && self.files.may_copy(text.len())).then(|| text.to_owned())
    }
}
