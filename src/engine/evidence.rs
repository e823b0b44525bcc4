//! Finds the engine of a directory from files that name one: lock files and version files.
//!
//! A directory uses the engines that the nearest directory with evidence names, itself first, then upwards. Without
//! evidence, or with contradictory evidence in one directory, it uses both.

use super::version::numbers;
use super::{Engine, Product, Version};

/// The version that a signal names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// None.
    Newest,
    /// The newest release that starts with these numbers.
    Within(u16, Option<u16>),
    /// This release.
    Exactly(Version),
}

/// Evidence in one file for one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    /// The product.
    pub product: Product,
    /// The version.
    pub wish: Wish,
    /// Whether it excludes the other product. Otherwise it only says that this one is used too.
    pub strong: bool,
}

/// The engines of a module by its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Terraform first. Never empty.
    pub engines: Vec<Engine>,
    /// Whether there is strong evidence for each of them. Without it, both are used because neither is excluded.
    pub positive: bool,
}

/// The names of files, except module files, that are evidence of an engine.
const NAMES: &[&str] = &[
    LOCK_FILE,
    ".opentofu-version",
    ".terraform-version",
    ".tfswitchrc",
    ".tfswitch.toml",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "terragrunt.hcl",
    "terragrunt.hcl.json",
];

/// The directory with the provider versions that an engine selected.
pub const LOCK_FILE: &str = ".terraform.lock.hcl";

impl Signal {
    /// Whether a file with this name can be evidence.
    pub fn may_be_in(name: &str) -> bool {
        NAMES.contains(&name)
    }

    /// The evidence in a file with this name and content.
    pub fn of_file(name: &str, text: &str) -> Vec<Self> {
        match name {
            LOCK_FILE => of_lock_file(text),
            ".opentofu-version" => vec![Self::new(Product::OpenTofu, Wish::parse(first_line(text)))],
            ".terraform-version" | ".tfswitchrc" => {
                vec![Self::new(Product::Terraform, Wish::parse(first_line(text)))]
            }
            ".tfswitch.toml" => of_tfswitch(text),
            ".tool-versions" => of_tools(text, |line| line.split_once(char::is_whitespace)),
            "mise.toml" | ".mise.toml" => of_tools(text, |line| line.split_once('=')),
            "terragrunt.hcl" => of_terragrunt(text),
            _ => Vec::new(),
        }
    }

    /// The evidence in the names of a directory's module files, sorted by bytes.
    ///
    /// Files that exist for both products are evidence of both. A directory that Terraform would find empty is evidence
    /// of OpenTofu. An additional file for OpenTofu is not evidence against Terraform.
    pub fn of_module_files(names: &[&str]) -> Vec<Self> {
        let (terraform, tofu) = (Engine::newest(Product::Terraform), Engine::newest(Product::OpenTofu));
        let seen_by = |engine: Engine| names.iter().filter(|name| engine.loads(name).is_some()).count();
        let hidden = |name: &&str| tofu.hidden_by(name).is_some_and(|twin| names.contains(&twin.as_str()));
        let both = |strong| Product::ALL.map(|product| Self { product, wish: Wish::Newest, strong }).to_vec();
        if seen_by(tofu) == seen_by(terraform) {
            Vec::new()
        } else if seen_by(terraform) == 0 {
            vec![Self::new(Product::OpenTofu, Wish::Newest)]
        } else {
            both(names.iter().any(hidden))
        }
    }

    const fn new(product: Product, wish: Wish) -> Self {
        Self { product, wish, strong: true }
    }
}

impl Wish {
    /// Parses the content of a version file: `1.9.8`, `v1.9`, `latest`, `latest:^1.9`. Any other text names no version.
    fn parse(text: &str) -> Self {
        let text = text.trim().trim_matches(['"', '\'']);
        let text =
            text.strip_prefix("latest:^").map_or(text, |rest| rest.trim_end_matches(['.', '\\', '$', '*']));
        match numbers(text).as_deref() {
            Some(&[major, minor, patch]) => Self::Exactly(Version::new(major, minor, patch)),
            Some(&[major, minor]) => Self::Within(major, Some(minor)),
            Some(&[major]) => Self::Within(major, None),
            _ => Self::Newest,
        }
    }

    /// Returns the release of `product` that the version names, or the newest one if there is none.
    fn release(self, product: Product) -> Version {
        match self {
            Self::Within(major, Some(minor)) => within(product, &[major, minor]),
            Self::Within(major, None) => within(product, &[major]),
            // Terraform before 0.12 has another language, so few findings hold.
            Self::Exactly(version)
                if version >= product.oldest_release() || product == Product::Terraform =>
            {
                version
            }
            Self::Newest | Self::Exactly(_) => product.newest_release(),
        }
    }
}

impl Evidence {
    /// Combines the evidence of a module's directory and of those above it, the nearest first.
    ///
    /// The nearest directory with evidence decides on the products. A version may come from a directory further up.
    pub fn weigh<'a>(nearest_first: impl Iterator<Item = &'a [Signal]>) -> Self {
        let directories: Vec<&[Signal]> = nearest_first.filter(|signals| !signals.is_empty()).collect();
        let nearest = directories.first().copied().unwrap_or_default();
        let positive = nearest.iter().any(|signal| signal.strong);
        let meant = |product: Product| {
            !positive || nearest.iter().any(|signal| signal.strong && signal.product == product)
        };
        let engines = Product::ALL
            .into_iter()
            .filter(|product| meant(*product))
            .map(|product| Engine {
                product,
                version: wish(&directories, product).release(product),
                pinned: false,
            })
            .collect();
        Self { engines, positive }
    }
}

/// The nearest version that a signal names.
fn wish(directories: &[&[Signal]], product: Product) -> Wish {
    let wishes = directories.iter().flat_map(|signals| signals.iter());
    let of_product = wishes.filter(|signal| signal.product == product).map(|signal| signal.wish);
    of_product.into_iter().find(|wish| *wish != Wish::Newest).unwrap_or(Wish::Newest)
}

fn within(product: Product, numbers: &[u16]) -> Version {
    product.newest_within(numbers).unwrap_or_else(|| product.newest_release())
}

/// The first line names the tool that wrote the file. Provider hosts are evidence of OpenTofu, but not of Terraform,
/// whose registry is named with both tools.
fn of_lock_file(text: &str) -> Vec<Signal> {
    let head = text.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty());
    let head: String = head.collect();
    if head.contains("\"tofu init\"") || text.contains("provider \"registry.opentofu.org/") {
        vec![Signal::new(Product::OpenTofu, Wish::Newest)]
    } else if head.contains("\"terraform init\"") {
        vec![Signal::new(Product::Terraform, Wish::Newest)]
    } else {
        Vec::new()
    }
}

fn of_tfswitch(text: &str) -> Vec<Signal> {
    let value = |key: &str| settings(text).find(|(name, _)| *name == key).map(|(_, value)| value);
    let product = match value("product") {
        Some("opentofu") => Product::OpenTofu,
        Some("terraform") | None => Product::Terraform,
        Some(_) => return Vec::new(),
    };
    vec![Signal::new(product, value("version").map_or(Wish::Newest, Wish::parse))]
}

/// Parses the lines `tool version` that name an engine.
fn of_tools<'a>(text: &'a str, split: impl Fn(&'a str) -> Option<(&'a str, &'a str)>) -> Vec<Signal> {
    let lines = text.lines().filter_map(|line| {
        let (tool, version) = split(without_comment(line).trim())?;
        let version = version.split_whitespace().next().unwrap_or_default();
        // A tool may have the name of its repository and of a registry, as in `aqua:hashicorp/terraform`.
        match tool.trim().trim_matches(['"', '\'']).rsplit(['/', ':']).next()? {
            "terraform" => Some(Signal::new(Product::Terraform, Wish::parse(version))),
            "opentofu" | "tofu" => Some(Signal::new(Product::OpenTofu, Wish::parse(version))),
            _ => None,
        }
    });
    lines.collect()
}

fn of_terragrunt(text: &str) -> Vec<Signal> {
    let binary = settings(text).find(|(name, _)| *name == "terraform_binary").map(|(_, value)| value);
    match binary.and_then(|path| path.rsplit('/').next()) {
        Some("tofu") => vec![Signal::new(Product::OpenTofu, Wish::Newest)],
        Some("terraform") => vec![Signal::new(Product::Terraform, Wish::Newest)],
        _ => Vec::new(),
    }
}

/// Parses the lines `name = "value"`.
fn settings(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (name, value) = without_comment(line).split_once('=')?;
        Some((name.trim(), value.trim().trim_matches(['"', '\''])))
    })
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(line, _)| line)
}

fn first_line(text: &str) -> &str {
    let lines = text.lines().map(|line| without_comment(line).trim());
    lines.into_iter().find(|line| !line.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(directories: &[&[(&str, &str)]]) -> String {
        let signals: Vec<Vec<Signal>> = directories
            .iter()
            .map(|files| files.iter().flat_map(|(name, text)| Signal::of_file(name, text)).collect())
            .collect();
        let evidence = Evidence::weigh(signals.iter().map(Vec::as_slice));
        let words: Vec<_> = evidence.engines.iter().map(|engine| engine.word().to_string()).collect();
        words.join(" ")
    }

    #[test]
    fn no_evidence_means_both() {
        let none = Evidence::weigh(std::iter::empty());
        assert_eq!(none.engines, Product::ALL.map(Engine::newest));
        assert!(!none.positive);
    }

    #[test]
    fn a_lock_file_names_the_tool_that_wrote_it() {
        let tofu = "# This file is maintained automatically by \"tofu init\".\n";
        let terraform = "# This file is maintained automatically by \"terraform init\".\n";
        assert_eq!(weighed(&[&[(".terraform.lock.hcl", tofu)]]), "opentofu@1.12.6");
        assert_eq!(weighed(&[&[(".terraform.lock.hcl", terraform)]]), "terraform@1.15.9");
    }

    #[test]
    fn version_files_ask_for_a_version() {
        assert_eq!(weighed(&[&[(".terraform-version", "1.9.8\n")]]), "terraform@1.9.8");
        assert_eq!(weighed(&[&[(".terraform-version", "latest:^1.9\n")]]), "terraform@1.9.8");
        assert_eq!(weighed(&[&[(".opentofu-version", "# ours\nv1.9\n")]]), "opentofu@1.9.4");
        assert_eq!(weighed(&[&[(".tool-versions", "nodejs 20.1.0\nopentofu 1.8.2\n")]]), "opentofu@1.8.2");
        assert_eq!(weighed(&[&[("mise.toml", "[tools]\nterraform = \"1.11\"\n")]]), "terraform@1.11.4");
        let repositories =
            "hashicorp/terraform 1.15.8\nopentofu/opentofu 1.9.0\nhashicorp/terraform-ls 0.36.5\n";
        assert_eq!(weighed(&[&[(".tool-versions", repositories)]]), "terraform@1.15.8 opentofu@1.9.0");
        let registry = "[tools]\n\"aqua:opentofu/opentofu\" = \"1.9\"\n";
        assert_eq!(weighed(&[&[("mise.toml", registry)]]), "opentofu@1.9.4");
        assert_eq!(weighed(&[&[(".tfswitch.toml", "product = \"opentofu\"\n")]]), "opentofu@1.12.6");
        assert_eq!(
            weighed(&[&[("terragrunt.hcl", "terraform_binary = \"/usr/bin/tofu\"\n")]]),
            "opentofu@1.12.6"
        );
    }

    #[test]
    fn a_version_that_cannot_be_met_is_the_newest() {
        assert_eq!(weighed(&[&[(".opentofu-version", "1.5.0")]]), "opentofu@1.12.6");
        assert_eq!(weighed(&[&[(".terraform-version", "latest-allowed")]]), "terraform@1.15.9");
    }

    #[test]
    fn an_old_terraform_is_selected_as_it_is() {
        assert_eq!(weighed(&[&[(".terraform-version", "0.11.14")]]), "terraform@0.11.14");
    }

    #[test]
    fn the_nearest_directory_decides_on_the_product() {
        let lock = "# This file is maintained automatically by \"tofu init\".\n";
        let near: &[(&str, &str)] = &[(".terraform.lock.hcl", lock)];
        let far: &[(&str, &str)] = &[(".tool-versions", "terraform 1.5.7\nopentofu 1.9.0\n")];
        assert_eq!(weighed(&[near, far]), "opentofu@1.9.0");
        assert_eq!(weighed(&[&[], far]), "terraform@1.5.7 opentofu@1.9.0");
    }

    #[test]
    fn files_of_one_directory_that_contradict_each_other_mean_both() {
        let lock = "# This file is maintained automatically by \"tofu init\".\n";
        let directory: &[(&str, &str)] = &[(".terraform-version", "1.5.7"), (".terraform.lock.hcl", lock)];
        assert_eq!(weighed(&[directory]), "terraform@1.5.7 opentofu@1.12.6");
    }

    #[test]
    fn module_files_speak_for_opentofu_where_it_sees_others_than_terraform() {
        let products = |names: &[&str]| -> Vec<Product> {
            Signal::of_module_files(names).iter().map(|signal| signal.product).collect()
        };
        assert_eq!(products(&["main.tf", "override.tf"]), []);
        assert_eq!(products(&["main.tofu"]), [Product::OpenTofu]);
        assert_eq!(products(&["a.tf", "a.tofu"]), Product::ALL);
    }

    #[test]
    fn a_lone_tofu_file_beside_others_yields_to_a_lock_file() {
        let mut signals = Signal::of_module_files(&["a.tf", "b.tofu"]);
        let weigh = |signals: &[Signal]| Evidence::weigh(std::iter::once(signals));
        assert_eq!(weigh(&signals).engines.len(), 2);
        assert!(!weigh(&signals).positive);
        signals.extend(Signal::of_file(".opentofu-version", "1.9.0"));
        assert_eq!(weigh(&signals).engines.len(), 1);
    }
}
