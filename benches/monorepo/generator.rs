//! Generates the files of a repository of modules with a given number of modules of typical sizes. The same shape gives
//! the same files.

/// The shape of a generated repository.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Shape {
    /// Number of modules.
    #[arg(long, default_value_t = Shape::USUAL.modules)]
    pub(crate) modules: usize,
    /// Percentage of shared modules, which others call. The rest are root modules.
    #[arg(long, default_value_t = Shape::USUAL.shared)]
    pub(crate) shared: usize,
    /// Number of modules that each root module calls.
    #[arg(long, default_value_t = Shape::USUAL.calls)]
    pub(crate) calls: usize,
    /// Percentage of shared modules that call another one.
    #[arg(long, default_value_t = Shape::USUAL.deeper)]
    pub(crate) deeper: usize,
    /// The number of shared modules in a group. A root module calls only modules of one group, so that no calls connect
    /// the groups. 0 puts all into one group.
    ///
    /// With the other defaults, 20 give groups of 100 modules and 0.5 MB. In 19 public repositories, as of 2026-11-22,
    /// the median size of the largest group is 0.2 MB. Four repositories have a larger one than 0.5 MB: one has 363
    /// modules (aztfmod/terraform-azurerm-caf), one has 3.7 MB (cloudposse/terraform-aws-components).
    #[arg(skip = Shape::USUAL.group)]
    pub(crate) group: usize,
    /// Percentage of modules with an override file.
    #[arg(long, default_value_t = Shape::USUAL.overrides)]
    pub(crate) overrides: usize,
    /// Percentage of modules with their variables in JSON.
    #[arg(long, default_value_t = Shape::USUAL.json)]
    pub(crate) json: usize,
    /// Average number of resources per module.
    #[arg(long, default_value_t = Shape::USUAL.resources)]
    pub(crate) resources: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = Shape::USUAL.seed)]
    pub(crate) seed: u64,
}

impl Shape {
    /// The shape of a typical repository.
    pub(crate) const USUAL: Self = Self {
        modules: 1_000,
        shared: 20,
        calls: 4,
        deeper: 25,
        group: 20,
        overrides: 10,
        json: 2,
        resources: 5,
        seed: 1,
    };
}

/// The files of a repository of this shape, each with its path and its text.
pub(crate) fn files(shape: &Shape) -> Vec<(String, String)> {
    let mut chance = Chance(shape.seed);
    let shared = (shape.modules * shape.shared / 100).max(1);
    let modules: Vec<Module> = (0..shape.modules.max(1))
        .map(|number| {
            let is_shared = number < shared;
            let resources = 1 + chance.below(2 * shape.resources.max(1) - 1);
            let calls = if is_shared { usize::from(chance.of_hundred(shape.deeper)) } else { shape.calls };
            let calls = (0..calls).map(|_| callee(shape, shared, number, is_shared, &mut chance));
            Module { number, is_shared, resources, calls: calls.flatten().collect() }
        })
        .collect();
    modules
        .iter()
        .flat_map(|module| {
            let in_json = chance.of_hundred(shape.json);
            let is_overridden = chance.of_hundred(shape.overrides);
            module.files(&modules, in_json, is_overridden)
        })
        .collect()
}

/// The number of a module for `caller` to call. Shared modules call only later ones, so that there are no cycles.
fn callee(
    shape: &Shape,
    shared: usize,
    caller: usize,
    is_shared: bool,
    chance: &mut Chance,
) -> Option<usize> {
    let size = if shape.group == 0 { shared } else { shape.group.min(shared) };
    let group = caller % shared / size;
    let from = if is_shared { caller + 1 } else { group * size };
    let to = ((group + 1) * size).min(shared);
    (from < to).then(|| from + chance.below(to - from))
}

struct Module {
    number: usize,
    is_shared: bool,
    /// The number of its resources, and of its variables and outputs.
    resources: usize,
    /// The modules that it calls.
    calls: Vec<usize>,
}

impl Module {
    fn directory(&self) -> String {
        let Self { number, is_shared, .. } = self;
        if *is_shared { format!("modules/m{number}") } else { format!("live/team{}/r{number}", number % 40) }
    }

    fn files(&self, all: &[Self], in_json: bool, is_overridden: bool) -> Vec<(String, String)> {
        let directory = self.directory();
        let each = |text: &str| -> String {
            (0..self.resources).map(|n| text.replace("<n>", &n.to_string())).collect()
        };
        let up = "../".repeat(directory.matches('/').count() + 1);
        let mut calls = String::new();
        for (n, called) in self.calls.iter().enumerate() {
            let called = &all[*called];
            calls += &format!("module \"c{n}\" {{\n  source = \"{up}{}\"\n\n", called.directory());
            for n in 0..called.resources {
                calls += &format!("  size{n} = {n}\n");
            }
            calls += "}\n\n";
        }
        let variables = if in_json {
            let variables: Vec<String> = (0..self.resources)
                .map(|n| format!("    \"size{n}\": {{ \"type\": \"number\", \"description\": \"How many there are.\" }}"))
                .collect();
            ("variables.tf.json", format!("{{\n  \"variable\": {{\n{}\n  }}\n}}\n", variables.join(",\n")))
        } else {
            ("variables.tf", each(if self.is_shared { VARIABLE } else { SETTING }))
        };
        let mut files = vec![
            ("main.tf", each(RESOURCE) + &calls),
            variables,
            ("outputs.tf", each(OUTPUT)),
            ("versions.tf", VERSIONS.to_owned()),
            ("README.md", format!("# {directory}\n\nWhat it is for, and who looks after it.\n")),
        ];
        if !self.is_shared {
            files.push(("providers.tf", PROVIDER.replace("<key>", &directory)));
        }
        if is_overridden {
            files.push(("local_override.tf", OVERRIDE.to_owned()));
        }
        files.into_iter().map(|(name, text)| (format!("{directory}/{name}"), text)).collect()
    }
}

/// A pseudorandom number generator with a fixed seed (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }

    fn of_hundred(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }
}

const VARIABLE: &str = r#"variable "size<n>" {
  type        = number
  description = "How many there are, one in each zone at least."

  validation {
    condition     = var.size<n> >= 0
    error_message = "There cannot be fewer than none."
  }
}

"#;

const SETTING: &str = r#"variable "size<n>" {
  type        = number
  default     = <n>
  description = "How many there are."
}

"#;

const RESOURCE: &str = r#"# Serves what the team of the same name looks after.
resource "aws_instance" "node<n>" {
  count         = var.size<n>
  ami           = "ami-0c55b159cbfafe1f0"
  instance_type = "t3.${count.index > 2 ? "large" : "micro"}"
  subnet_id     = element(["subnet-a", "subnet-b", "subnet-c"], count.index)

  root_block_device {
    volume_size = 20 + count.index
    encrypted   = true
  }

  tags = merge({ Name = format("node<n>-%d", count.index) }, {
    Team    = "platform"
    Purpose = "serves"
  })

  lifecycle {
    ignore_changes = [ami]
  }
}

"#;

const OUTPUT: &str = r#"output "addresses<n>" {
  value       = [for node in aws_instance.node<n> : node.private_ip if node.private_ip != ""]
  description = "Where they are found."
}

"#;

const VERSIONS: &str = r#"terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}
"#;

const PROVIDER: &str = r#"terraform {
  backend "s3" {
    bucket = "state"
    key    = "<key>"
    region = "eu-west-1"
  }
}

provider "aws" {
  region = "eu-west-1"

  default_tags {
    tags = { Managed = "terraform" }
  }
}
"#;

const OVERRIDE: &str = r#"resource "aws_instance" "node0" {
  instance_type = "t3.nano"
}
"#;
