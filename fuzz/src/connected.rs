//! Generates modules that call each other in chains, and edits of them, from the numbers in an input.

use std::fmt::Write as _;

/// Takes numbers from an input. After its end all numbers are 0.
pub struct Numbers<'b>(pub &'b [u8]);

impl Numbers<'_> {
    /// The next number below `end`.
    fn below(&mut self, end: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % end
    }
}

/// The generated modules: root modules, and shared modules that others call.
#[derive(Clone)]
pub struct Modules(Vec<Module>);

#[derive(Clone)]
struct Module {
    directory: String,
    /// The number of comment lines at the start.
    comments: usize,
    parts: Vec<usize>,
    calls: Vec<Call>,
}

/// A module call with some arguments.
#[derive(Clone)]
struct Call {
    to: usize,
    arguments: usize,
}

/// Content of a module, in addition to calls.
const PARTS: &[&str] = &[
    "variable \"need\" {}\n",
    "variable \"opt\" {\n  type    = string\n  default = \"a\"\n}\n",
    "variable \"opt\" {\n  type    = number\n  default = 1\n}\n",
    "output \"out\" {\n  value = 1\n}\n",
    "output \"out\" {\n  value = var.need\n}\n",
    "output \"deep\" {\n  value = module.c0.out\n}\n",
    "provider \"aws\" {\n  region = \"x\"\n}\n",
    "terraform {\n  required_providers {\n    aws = {\n      source = \"hashicorp/aws\"\n      configuration_aliases = [aws.w]\n    }\n  }\n}\n",
    "terraform {\n  required_version = \">= 1.5\"\n}\n",
    "terraform {\n  backend \"s3\" {}\n}\n",
    "resource \"aws_vpc\" \"v\" {\n  name = var.opt\n}\n",
    "resource \"aws_vpc\" \"w\" {\n  provider = aws.w\n}\n",
    "import {\n  to = aws_vpc.v\n  id = \"1\"\n}\n",
    "moved {\n  from = aws_vpc.old\n  to   = aws_vpc.v\n}\n",
    "locals {\n  a = module.c0.out\n  b = module.c1.none\n}\n",
    "# overrule: allow(undeclared-reference) known\nlocals {\n  c = local.none\n}\n",
];

/// Arguments of a module call. Each bit of [`Call::arguments`] stands for one.
const ARGUMENTS: &[&str] = &[
    "  need = 1\n",
    "  opt = [\"a\"]\n",
    "  opt = aws_vpc.v.id\n",
    "  other = 1\n",
    "  count = 2\n",
    "  providers = { aws.w = aws.w }\n",
    "  depends_on = [aws_vpc.v]\n",
];

impl Modules {
    /// Up to six shared modules, which only call later ones, and up to six root modules.
    pub fn generate(numbers: &mut Numbers<'_>) -> Self {
        let (shared, roots) = (1 + numbers.below(6), 1 + numbers.below(6));
        let module = |number: usize| {
            let is_shared = number < shared;
            let parts = (0..numbers.below(5)).map(|_| numbers.below(PARTS.len())).collect();
            let first = if is_shared { number + 1 } else { 0 };
            let most = if is_shared { 3 } else { 6 };
            let calls = if first == shared { 0 } else { numbers.below(most) };
            let calls = (0..calls).map(|_| call(numbers, first, shared)).collect();
            let directory = if is_shared { format!("modules/m{number}") } else { format!("live/r{number}") };
            Module { directory, comments: 0, parts, calls }
        };
        Self((0..shared + roots).map(module).collect())
    }

    /// Edits one module. Many edits are invisible to its callers.
    pub fn edit(&mut self, numbers: &mut Numbers<'_>) {
        let number = numbers.below(self.0.len());
        let count = self.0.len();
        let module = &mut self.0[number];
        match numbers.below(6) {
            0 | 1 => module.comments += 1,
            2 => module.parts.push(numbers.below(PARTS.len())),
            3 if !module.parts.is_empty() => {
                let at = numbers.below(module.parts.len());
                module.parts.remove(at);
            }
            4 if !module.calls.is_empty() => {
                let at = numbers.below(module.calls.len());
                module.calls[at] = call(numbers, 0, count);
            }
            _ => module.calls.truncate(1),
        }
    }

    /// The files of all modules.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = self
            .0
            .iter()
            .map(|module| (format!("{}/main.tf", module.directory), self.text(module).into_bytes()))
            .collect();
        files.sort_unstable();
        files
    }

    fn text(&self, module: &Module) -> String {
        let mut text = "# about this module\n".repeat(module.comments);
        text.extend(module.parts.iter().map(|part| PARTS[*part]));
        for (number, Call { to, arguments }) in module.calls.iter().enumerate() {
            let source = &self.0[*to].directory;
            let _ = writeln!(text, "module \"c{number}\" {{\n  source = \"../../{source}\"");
            let set = ARGUMENTS.iter().enumerate().filter(|(bit, _)| arguments >> bit & 1 == 1);
            text.extend(set.map(|(_, argument)| *argument));
            text.push_str("}\n");
        }
        text
    }
}

/// A call of one of the modules from `first` up to `end`.
fn call(numbers: &mut Numbers<'_>, first: usize, end: usize) -> Call {
    Call { to: first + numbers.below(end - first), arguments: numbers.below(1 << ARGUMENTS.len()) }
}
