//! Parses provider source addresses.

use std::fmt;

use smol_str::{SmolStr, format_smolstr};

use super::AddressError;
use super::hostname::{Marks, normal_host, normal_label};
use crate::engine::Features;

/// A provider source address. Equal addresses are the same provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderAddress {
    /// The registry host.
    pub host: SmolStr,
    /// The namespace.
    pub namespace: SmolStr,
    /// The type, which is the last part.
    pub name: SmolStr,
}

/// Host and namespace of providers that are part of the engine.
const BUILT_IN: (&str, &str) = ("terraform.io", "builtin");
/// The default namespace.
const USUAL_NAMESPACE: &str = "hashicorp";
/// The placeholder namespace for providers from before Terraform 0.13.
const LEGACY_NAMESPACE: &str = "-";
/// The summary for a source with an invalid form.
const INVALID_SOURCE: &str = "Invalid provider source string";
const INVALID_NAME: &str = "Invalid provider type";
const INVALID_NAMESPACE: &str = "Invalid provider namespace";
const INVALID_HOST: &str = "Invalid provider source hostname";

impl ProviderAddress {
    /// Parses a `source` argument.
    pub fn parse(source: &str, features: &Features) -> Result<Self, AddressError> {
        let default_host = features.registry_host;
        let parts: Vec<&str> = source.split('/').collect();
        let (host, namespace, name) = match parts.as_slice() {
            _ if parts.iter().any(|part| part.is_empty()) => return Err(wrong_form()),
            [name] => (None, None, *name),
            [namespace, name] => (None, Some(*namespace), *name),
            [host, namespace, name] => (Some(*host), Some(*namespace), *name),
            _ => return Err(wrong_form()),
        };
        let wrong_part = |summary, what, part: &str, reason| AddressError {
            summary,
            detail: format!("The {what} \"{part}\" in the source \"{source}\" is not valid: {reason}."),
            help: None,
        };
        let name =
            legal_part(name).map_err(|reason| wrong_part(INVALID_NAME, "provider name", name, reason))?;
        let Some(namespace) = namespace else {
            // The engine does not apply the following checks to a single name.
            return Ok(Self { host: default_host.into(), namespace: USUAL_NAMESPACE.into(), name });
        };
        let namespace = if namespace == LEGACY_NAMESPACE {
            SmolStr::new_static(LEGACY_NAMESPACE)
        } else {
            legal_namespace(namespace, features)
                .map_err(|reason| wrong_part(INVALID_NAMESPACE, "namespace", namespace, reason))?
        };
        let host = match host {
            Some(host) => {
                normal_host(host).map_err(|reason| wrong_part(INVALID_HOST, "host name", host, reason))?
            }
            None => default_host.into(),
        };
        if namespace == LEGACY_NAMESPACE && host != default_host {
            return Err(AddressError {
                summary: INVALID_NAMESPACE,
                detail: format!("The namespace \"-\" of old providers exists only on {default_host}."),
                help: None,
            });
        }
        let address = Self { host, namespace, name };
        address.refuse_prefixes(features)?;
        Ok(address)
    }

    /// The provider of a local name without a `source`. Returns `None` for a name that is not valid.
    pub fn implied(local_name: &str, default_host: &str) -> Option<Self> {
        if local_name == "terraform" {
            let (host, namespace) = BUILT_IN;
            return Some(Self { host: host.into(), namespace: namespace.into(), name: local_name.into() });
        }
        Self::default(local_name, default_host)
    }

    /// The provider `hashicorp/NAME` in the default registry. Returns `None` for a name that is not valid.
    pub fn default(name: &str, default_host: &str) -> Option<Self> {
        let name = legal_part(name).ok()?;
        Some(Self { host: default_host.into(), namespace: USUAL_NAMESPACE.into(), name })
    }

    /// Whether this is a provider of namespace `hashicorp` in the default registry.
    pub fn is_default(&self, default_host: &str) -> bool {
        self.host == default_host && self.namespace == USUAL_NAMESPACE
    }

    /// Whether the provider is part of the engine.
    pub fn is_built_in(&self) -> bool {
        (self.host.as_str(), self.namespace.as_str()) == BUILT_IN
    }

    /// The usual written form: without the host, if that is the default registry.
    pub fn display(&self, default_host: &str) -> SmolStr {
        if self.host == default_host {
            format_smolstr!("{}/{}", self.namespace, self.name)
        } else {
            format_smolstr!("{self}")
        }
    }

    /// Refuses the prefixes of provider repositories (`terraform-provider-`), which are not part of the type.
    fn refuse_prefixes(&self, features: &Features) -> Result<(), AddressError> {
        let of_name = |prefix: &'static str| Some((prefix, self.name.strip_prefix(prefix)?));
        let found = features.provider_prefixes.iter().copied().find_map(of_name);
        let Some((prefix, rest)) = found else { return Ok(()) };
        let meant = rest.strip_prefix("provider-").filter(|meant| legal_part(meant).is_ok());
        let source = self.display(features.registry_host);
        let detail = match meant {
            Some(meant) => {
                let meant = Self { name: meant.into(), ..self.clone() };
                format!(
                    "The source \"{source}\" has the prefix \"{prefix}provider-\", which is part of a repository \
                     name, not of a source address. Did you mean \"{}\"?",
                    meant.display(features.registry_host)
                )
            }
            None => {
                format!("The source \"{source}\" has the reserved prefix \"{prefix}\".")
            }
        };
        Err(AddressError { summary: INVALID_NAME, detail, help: None })
    }
}

/// All three parts, with the host.
impl fmt::Display for ProviderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.namespace, self.name)
    }
}

/// The normal form of a provider type or local name, or the reason why it is invalid.
pub fn legal_part(part: &str) -> Result<SmolStr, &'static str> {
    normal_part(part, Marks::Dash).map_err(|reason| {
        reason
            .unwrap_or("it may contain only letters, digits and hyphens, with no hyphen at the start or end")
    })
}

/// The normal form of a namespace, or the reason why it is invalid.
fn legal_namespace(part: &str, features: &Features) -> Result<SmolStr, &'static str> {
    if !features.grammar.underscore_in_namespace {
        return legal_part(part);
    }
    normal_part(part, Marks::DashAndUnderscore).map_err(|reason| {
        reason.unwrap_or("it may contain only letters, digits, underscores and hyphens, with no hyphen at the start or end")
    })
}

/// The normal form of a part of a provider address. The error has a specific reason, if there is one.
fn normal_part(part: &str, marks: Marks) -> Result<SmolStr, Option<&'static str>> {
    if part.is_empty() {
        return Err(Some("it must have at least one character"));
    }
    if part.contains('.') {
        return Err(Some("dots are not allowed"));
    }
    if part.contains("--") {
        return Err(Some("two hyphens in a row are not allowed"));
    }
    normal_label(part, marks).ok_or(None)
}

fn wrong_form() -> AddressError {
    AddressError {
        summary: INVALID_SOURCE,
        detail: "A source has the form \"[hostname/][namespace/]name\".".into(),
        help: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Product, Version};

    const HOST: &str = "registry.terraform.io";

    fn parse_in(product: Product, minor: u16, source: &str) -> Result<String, AddressError> {
        let version = Version { major: 1, minor, patch: 0 };
        let features = Engine { product, version, pinned: true }.features();
        ProviderAddress::parse(source, &features).map(|address| address.to_string())
    }

    fn parse(source: &str) -> Result<String, &'static str> {
        parse_in(Product::Terraform, 11, source).map_err(|error| error.summary)
    }

    #[test]
    fn a_source_has_one_to_three_parts() {
        for (source, address) in [
            ("aws", "registry.terraform.io/hashicorp/aws"),
            ("Hashicorp/AWS", "registry.terraform.io/hashicorp/aws"),
            ("example.com:443/a/b-c", "example.com/a/b-c"),
            ("terraform.io/builtin/terraform", "terraform.io/builtin/terraform"),
            ("-/aws", "registry.terraform.io/-/aws"),
            ("terraform-provider-aws", "registry.terraform.io/hashicorp/terraform-provider-aws"),
            ("größe/x", "registry.terraform.io/größe/x"),
        ] {
            assert_eq!(parse(source), Ok(address.to_owned()), "{source}");
        }
        for source in ["", "/", "a/", "/a", "a//b", "a/b/c/d"] {
            assert_eq!(parse(source), Err(INVALID_SOURCE), "{source}");
        }
        for source in
            ["a_b", "x/a.b", "x/-a", "x/a-", "x/a--b", "x/terraform-a", "x/terraform-provider-a", "a b"]
        {
            assert_eq!(parse(source), Err(INVALID_NAME), "{source}");
        }
        for source in ["a_b/c", "-/", "a.b/c", "example.com/-/aws", "a_b.com/a_b/c"] {
            let summary = if source == "-/" { INVALID_SOURCE } else { INVALID_NAMESPACE };
            assert_eq!(parse(source), Err(summary), "{source}");
        }
        for source in ["https:/a/b", "xn--a.com/a/b", "a..b/a/b", "a_b.com/a/b"] {
            assert!(parse(source).is_err(), "{source}");
        }
    }

    #[test]
    fn a_bare_name_implies_a_provider() {
        let implied = |name| ProviderAddress::implied(name, HOST).map(|address| address.display(HOST));
        assert_eq!(implied("aws").as_deref(), Some("hashicorp/aws"));
        assert_eq!(implied("terraform").as_deref(), Some("terraform.io/builtin/terraform"));
        assert_eq!(implied("a_b"), None);
    }

    #[test]
    fn the_prefix_of_repositories_is_refused_with_what_was_meant() {
        let error = parse_in(Product::Terraform, 11, "x/terraform-provider-aws").expect_err("a prefix");
        assert!(error.detail.ends_with("Did you mean \"x/aws\"?"), "{}", error.detail);
        assert!(parse_in(Product::OpenTofu, 10, "x/opentofu-aws").is_ok());
        let error = parse_in(Product::OpenTofu, 11, "x/opentofu-aws").expect_err("a prefix");
        assert_eq!(error.summary, INVALID_NAME);
    }

    #[test]
    fn a_younger_terraform_allows_underscores_in_a_namespace() {
        assert!(parse_in(Product::Terraform, 15, "My_org/aws").is_err());
        assert_eq!(
            parse_in(Product::Terraform, 16, "My_org/aws").as_deref(),
            Ok("registry.terraform.io/my_org/aws")
        );
        for source in ["my_org/a_b", "my_.org/aws", "my$org/aws", "my__org-/aws", "a--b/aws"] {
            assert!(parse_in(Product::Terraform, 16, source).is_err(), "{source}");
        }
    }
}
