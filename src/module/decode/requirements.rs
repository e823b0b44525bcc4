//! Decodes `required_providers` blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::Features;
use crate::finding::{EngineRule, Finding};
use crate::module::address::{ProviderAddress, legal_part};
use crate::module::declaration::{ProviderRefName, RequiredProvider, Spanned, VersionConstraint};
use crate::module::decode::Decoder;
use crate::module::decode::version::invalid_version;
use crate::syntax::{Attribute, Block, Expr, MapKey, Step};
use crate::text::{Span, similar};
use crate::value::{self, Value};

/// A `required_providers` block.
#[derive(Debug)]
pub(in crate::module) struct RequiredProviders {
    /// The valid entries.
    pub(in crate::module) entries: BTreeMap<SmolStr, Box<RequiredProvider>>,
    /// The block.
    pub(in crate::module) block: Arc<Block>,
}

impl Decoder<'_> {
    /// A `required_providers` block. Returns `None` if it contains anything but arguments.
    pub(super) fn required_providers(&mut self, block: &Arc<Block>) -> Option<RequiredProviders> {
        let before = self.findings.len();
        let attributes = block.body.just_attributes(self.findings);
        if self.failed_since(before) {
            let counts = self.features.broken_required_providers_counts;
            return counts.then(|| RequiredProviders { entries: BTreeMap::new(), block: Arc::clone(block) });
        }
        let entries = attributes
            .iter()
            .filter_map(|attribute| self.required_provider(attribute, before))
            .map(|entry| (entry.name.clone(), Box::new(entry)))
            .collect();
        Some(RequiredProviders { entries, block: Arc::clone(block) })
    }

    /// One entry. `before` is the number of findings before its block: the engine drops the objects that it visits
    /// after an error. The order of its visits varies, but is mostly the source order.
    fn required_provider(&mut self, attribute: &Arc<Attribute>, before: usize) -> Option<RequiredProvider> {
        let mut errors = Vec::new();
        let value = value::constant_within(self.limits, &attribute.expr, &mut errors);
        if errors.is_empty() && matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_)) {
            return self.version_only(attribute);
        }
        if !self.local_name(&attribute.name, attribute.expr.span) {
            return None;
        }
        if attribute.expr.is_unread() {
            return None;
        }
        let Some(pairs) = attribute.expr.as_map() else {
            self.findings.push(invalid_object(
                attribute.expr.span,
                "A requirement is an object with `source` and `version`, or a version constraint alone.",
            ));
            return None;
        };
        let mut entry = self.entry(attribute, None)?;
        for (key, value) in pairs {
            let Some(name) = self.key(&key) else { continue };
            match name.as_str() {
                "version" => entry.version = self.required_version_of(attribute, value).or(entry.version),
                "source" => self.provider_source(value, &mut entry),
                "configuration_aliases" => self.aliases(value, &mut entry),
                _ => {
                    invalid_object(
                        key.span(),
                        "An entry of `required_providers` can only have `source`, `version` and \
                             `configuration_aliases`.",
                    )
                    .help(format!("remove `{name}`; a `provider` block configures a provider"))
                    .meant(similar(&name, ["source", "version", "configuration_aliases"]))
                    .push_to(self.findings);
                    break;
                }
            }
        }
        (!self.failed_since(before)).then_some(entry)
    }

    /// The legacy form `name = "version constraint"`.
    fn version_only(&mut self, attribute: &Arc<Attribute>) -> Option<RequiredProvider> {
        let version = self.version_constraint(attribute);
        if let Err(reason) = legal_part(&attribute.name) {
            Finding::language(EngineRule::InvalidRequiredProviders, "Invalid provider name")
                .detail(format!("`{}` cannot be the name of a provider: {reason}.", attribute.name))
                .at(attribute.expr.span)
                .push_to(self.findings);
            return None;
        }
        self.entry(attribute, version)
    }

    fn entry(&self, attribute: &Attribute, version: Option<VersionConstraint>) -> Option<RequiredProvider> {
        let normal = legal_part(&attribute.name).ok()?;
        Some(RequiredProvider {
            name: attribute.name.clone(),
            address: ProviderAddress::implied(&normal, self.features.registry_host)?,
            source: None,
            version,
            aliases: Vec::new(),
            value_span: attribute.expr.span,
            span: attribute.span,
            replaced: None,
        })
    }

    /// The key of an entry, as a string.
    fn key(&mut self, key: &MapKey<'_>) -> Option<SmolStr> {
        let value = match key {
            MapKey::Name(name, _) => return Some((*name).clone()),
            MapKey::Json(string, _) => return Some(string.text.clone()),
            MapKey::Expr(expr) => {
                let before = self.findings.len();
                let value = value::constant_within(self.limits, expr, self.findings);
                if self.failed_since(before) {
                    return None;
                }
                value
            }
        };
        let text = value.as_str().map(SmolStr::from);
        if text.is_none() {
            Finding::language(EngineRule::InvalidRequiredProviders, "Invalid Attribute")
                .detail("The keys of an entry must be constant strings.")
                .at(key.span())
                .push_to(self.findings);
        }
        text
    }

    fn required_version_of(&mut self, attribute: &Attribute, expr: &Expr) -> Option<VersionConstraint> {
        let Some(text) = constant_text(expr) else {
            self.findings.push(invalid_version(expr.span, "A version constraint must be a constant string."));
            return None;
        };
        let constraints = Some(self.constraints(&text, expr.span)?);
        Some(VersionConstraint { constraints, text, span: attribute.span, value_span: expr.span })
    }

    fn provider_source(&mut self, expr: &Expr, entry: &mut RequiredProvider) {
        let Some(text) = constant_text(expr) else {
            Finding::language(EngineRule::InvalidRequiredProviders, "Invalid source")
                .detail("The source of a provider must be a constant string.")
                .at(expr.span)
                .push_to(self.findings);
            return;
        };
        match ProviderAddress::parse(&text, self.features) {
            Ok(address) => {
                entry.address = address;
                entry.source = Some(Spanned { value: text, span: expr.span });
            }
            Err(error) => Finding::language(EngineRule::InvalidRequiredProviders, error.summary)
                .detail(error.detail)
                .at(expr.span)
                .help(source_help(&text, self.features))
                .push_to(self.findings),
        }
    }

    fn aliases(&mut self, expr: &Expr, entry: &mut RequiredProvider) {
        let Some(elements) = expr.static_list(self.findings) else { return };
        for element in elements {
            let Some(traversal) = element.static_traversal(self.findings) else { continue };
            // The engine ignores any steps after the alias, too.
            let step = traversal.steps.first();
            let alias = step.and_then(Step::name).cloned();
            if step.is_some() && alias.is_none() {
                self.findings.push(invalid_alias(expr.span, "An alias is written as `name.alias`."));
                continue;
            }
            if traversal.root != entry.name {
                let detail = format!(
                    "Aliases of `{0}` start with `{0}.`, not with `{1}`.",
                    entry.name, traversal.root
                );
                self.findings.push(invalid_alias(expr.span, detail));
                continue;
            }
            let value = ProviderRefName { name: traversal.root.clone(), alias };
            entry.aliases.push(Spanned { value, span: element.span });
        }
    }
}

/// The value of a constant string. Returns `None` if its evaluation fails.
fn constant_text(expr: &Expr) -> Option<SmolStr> {
    let mut errors = Vec::new();
    let value = value::constant(expr, &mut errors);
    value.as_str().filter(|_| errors.is_empty()).map(SmolStr::from)
}

/// The help for an invalid source. A source with a host is in a private registry, and the suggestion keeps the host.
fn source_help(source: &str, features: &Features) -> String {
    // The prefix of a repository, as in `terraform-provider-dns`.
    let without = |prefix: &&'static str| source.replace(&format!("{prefix}provider-"), "");
    let without_reserved = |prefix: &&'static str| source.replace(&format!("/{prefix}"), "/");
    let is_valid = |meant: &String| meant != source && ProviderAddress::parse(meant, features).is_ok();
    let prefixes = features.provider_prefixes.iter();
    if let Some(meant) = prefixes.clone().map(without).chain(prefixes.map(without_reserved)).find(is_valid) {
        return format!("write \"{meant}\"");
    }
    let [host, namespace, name] = source.split('/').collect::<Vec<_>>()[..] else {
        return "write \"namespace/name\", as in \"hashicorp/aws\"".to_owned();
    };
    if ProviderAddress::parse(&format!("{host}/hashicorp/aws"), features).is_ok() {
        return format!("write \"{host}/namespace/name\"");
    }
    if ProviderAddress::parse(&format!("{namespace}/{name}"), features).is_ok() {
        return format!("replace \"{host}\" with the host name of the registry that has {namespace}/{name}");
    }
    "write \"namespace/name\", or \"hostname/namespace/name\" for a private registry".to_owned()
}

fn invalid_object(at: Span, detail: &str) -> Finding {
    Finding::language(EngineRule::InvalidRequiredProviders, "Invalid required_providers object")
        .detail(detail)
        .at(at)
}

fn invalid_alias(at: Span, detail: impl Into<String>) -> Finding {
    Finding::language(EngineRule::InvalidRequiredProviders, "Invalid configuration_aliases value")
        .detail(detail)
        .at(at)
}
