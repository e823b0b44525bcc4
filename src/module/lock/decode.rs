//! Validates dependency lock files as the engine does.

use std::collections::BTreeMap;

use crate::engine::{Engine, Features, Product};
use crate::finding::{EngineRule, Finding, Severity};
use crate::limits::Limits;
use crate::module::address::ProviderAddress;
use crate::syntax::{Attribute, AttributeSchema, Block, BlockSchema, Body, ExprKind, Schema};
use crate::value::{self, Condition, Constraints, Operator, Type, Value, Version};

/// The engine's summaries for an invalid `version`, `constraints` and address.
const INVALID_VERSION: &str = "Invalid provider version number";
const INVALID_CONSTRAINTS: &str = "Invalid provider version constraints";
const INVALID_ADDRESS: &str = "Invalid provider source address";

/// Reports the errors in the blocks of a lock file.
pub(super) fn check(body: &Body, features: &Features, limits: &Limits, findings: &mut Vec<Finding>) {
    let blocks = [BlockSchema::new("provider", &["source_addr"]), BlockSchema::new("module", &["path"])];
    let content = body.content(&Schema { attributes: &[], blocks: &blocks }, findings);
    let mut known: BTreeMap<ProviderAddress, &Block> = BTreeMap::new();
    let mut has_module = false;
    for block in &content.blocks {
        if block.kind == "module" {
            if !has_module {
                findings.push(module(block));
            }
            has_module = true;
            continue;
        }
        let Some(address) = address(block, features, findings) else { continue };
        Lock { provider: &address, limits, findings }.provider(block);
        if let Some(first) = known.get(&address) {
            invalid("Duplicate provider lock")
                .detail(format!("This lock file already declares a lock for provider {address}."))
                .at(block.kind_span)
                .related(first.header, "declared here first")
                .help("remove one of the two blocks")
                .push_to(findings);
        } else {
            known.insert(address, block);
        }
    }
}

fn invalid(summary: &str) -> Finding {
    Finding::language(EngineRule::InvalidLockFile, summary)
}

fn module(block: &Block) -> Finding {
    invalid("Dependency locks for modules are not yet supported")
        .severity(Severity::Warning)
        .detail("This block has no effect.")
        .at(block.kind_span)
        .help("remove the block")
}

/// The provider of a block, if its label is in normal form.
fn address(block: &Block, features: &Features, findings: &mut Vec<Finding>) -> Option<ProviderAddress> {
    let label = block.labels.first()?;
    let wrong = |detail: String| Some(invalid(INVALID_ADDRESS).detail(detail).at(label.span));
    // The product that wrote the file may be unknown, and the two allow different names.
    let address = ProviderAddress::parse(&label.text, features).or_else(|error| {
        let tofu = Engine::newest(Product::OpenTofu).features();
        ProviderAddress::parse(&label.text, &tofu).map_err(|_| error)
    });
    let finding = match address {
        Err(_) => wrong(
            "The label of a `provider` block must be a provider source address, such as \
             \"registry.terraform.io/hashicorp/aws\"."
                .to_owned(),
        ),
        Ok(address) if address.is_built_in() => {
            wrong(format!("Cannot use {address} as the source address of a lock: the provider is built in."))
        }
        Ok(address) if address.namespace == "-" => wrong(format!(
            "Cannot use {address} as the source address of a lock: it is the address of a legacy provider."
        )),
        Ok(address) if address.to_string() != label.text => Some(
            invalid("Non-normalized provider source address")
                .detail(format!("The source address of this lock must be written as \"{address}\"."))
                .at(label.span)
                .help(format!("write \"{address}\"")),
        ),
        Ok(address) => return Some(address),
    };
    findings.extend(finding);
    None
}

/// The lock of one provider.
struct Lock<'l> {
    provider: &'l ProviderAddress,
    limits: &'l Limits,
    findings: &'l mut Vec<Finding>,
}

impl Lock<'_> {
    fn provider(&mut self, block: &Block) {
        let attributes = [
            AttributeSchema::required("version"),
            AttributeSchema::optional("constraints"),
            AttributeSchema::optional("hashes"),
        ];
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        if let Some(version) = content.attribute("version") {
            self.version(version);
        }
        if let Some(constraints) = content.attribute("constraints") {
            self.constraints(constraints);
        }
        if let Some(hashes) = content.attribute("hashes") {
            self.hashes(hashes);
        }
    }

    fn version(&mut self, attribute: &Attribute) {
        let expr = &attribute.expr;
        if matches!(value::convert(&self.constant(attribute), &Type::String), Ok(Value::Null(_))) {
            Finding::language(EngineRule::MissingArgument, "Missing required argument")
                .detail("A provider lock block must contain a \"version\" argument.")
                .at(expr.span)
                .push_to(self.findings);
            return;
        }
        let Some(text) = value::text(expr, self.limits, self.findings) else { return };
        let version =
            Version::parse(&text).filter(|version| version.written() <= 3 && !text.starts_with('v'));
        let subject = format!("The selected version number for provider {}", self.provider);
        let is_invalid = "is invalid: it must be one exact version, such as \"1.2.3\"";
        let detail = not_normal(&text, version.map(|version| version.to_string()), &subject, is_invalid);
        let wrong = detail.map(|detail| invalid(INVALID_VERSION).detail(detail).at(expr.span));
        self.findings.extend(wrong);
    }

    fn constraints(&mut self, attribute: &Attribute) {
        let expr = &attribute.expr;
        let Some(text) = value::text(expr, self.limits, self.findings) else { return };
        let normal = if text.trim().is_empty() { Some(String::new()) } else { normal(&text) };
        let subject = format!("The recorded version constraints for provider {}", self.provider);
        let detail = not_normal(&text, normal, &subject, "are invalid");
        let wrong = detail.map(|detail| invalid(INVALID_CONSTRAINTS).detail(detail).at(expr.span));
        self.findings.extend(wrong);
    }

    fn hashes(&mut self, attribute: &Attribute) {
        let expr = &attribute.expr;
        let Some(hashes) = expr.as_list() else {
            Finding::language(EngineRule::InvalidValue, "Invalid expression")
                .detail("A static list expression is required.")
                .at(expr.start_span())
                .push_to(self.findings);
            return;
        };
        if hashes.is_empty() {
            invalid("Invalid provider hash set")
                .detail("The \"hashes\" argument must either be omitted or contain at least one hash value.")
                .at(expr.span)
                .push_to(self.findings);
        }
        for hash in hashes {
            let Some(text) = value::text(hash, self.limits, self.findings) else { continue };
            if text.find(':').is_none_or(|colon| colon == 0) {
                let detail = format!(
                    "Cannot interpret {text:?} as a provider hash: it must start with a scheme and a colon, such as \
                     \"h1:\"."
                );
                // The engine reports the whole list.
                invalid("Invalid provider hash string")
                    .detail(detail)
                    .at(expr.span)
                    .related(hash.span, "this element")
                    .push_to(self.findings);
            }
        }
    }

    /// The value of an argument. Errors in it are reported when its string is read.
    fn constant(&self, attribute: &Attribute) -> Value {
        match attribute.expr.kind {
            ExprKind::Null => Value::NULL,
            _ => value::constant_within(self.limits, &attribute.expr, &mut Vec::new()),
        }
    }
}

/// The detail of the error for a text that is not in its normal form, or has none since it is invalid.
fn not_normal(text: &str, normal: Option<String>, subject: &str, is_invalid: &str) -> Option<String> {
    match normal {
        Some(normal) if normal == text => None,
        Some(normal) => Some(format!("{subject} must be written in normalized form: \"{normal}\".")),
        None => Some(format!("{subject} {is_invalid}.")),
    }
}

/// Version constraints in the engine's normal form: sorted, without duplicates. Returns `None` if the text is
/// invalid.
fn normal(text: &str) -> Option<String> {
    let constraints = Constraints::parse_for_provider(text).ok()?;
    let mut conditions: Vec<&Condition> = constraints.conditions().iter().collect();
    if conditions.iter().any(|condition| condition.version.written() > 3) {
        return None;
    }
    conditions.sort_by(|a, b| {
        let order = a.version.cmp(&b.version).then_with(|| rank(a).cmp(&rank(b)));
        order.then_with(|| written(a).cmp(&written(b)))
    });
    let mut texts: Vec<String> = conditions.into_iter().map(written).collect();
    texts.dedup();
    Some(texts.join(", "))
}

/// Whether only the minor version may increase.
fn is_minor_only(condition: &Condition) -> bool {
    condition.operator == Operator::Pessimistic && condition.version.written() < 3
}

/// The rank of a condition among those on the same version.
fn rank(condition: &Condition) -> u8 {
    match condition.operator {
        Operator::Greater => 1,
        Operator::GreaterOrEqual => 2,
        Operator::Equal => 3,
        Operator::Pessimistic if !is_minor_only(condition) => 4,
        Operator::Pessimistic => 5,
        Operator::LessOrEqual => 6,
        Operator::Less => 7,
        Operator::NotEqual => 8,
    }
}

fn written(condition: &Condition) -> String {
    let operator = match condition.operator {
        Operator::Equal => "",
        Operator::NotEqual => "!= ",
        Operator::Greater => "> ",
        Operator::GreaterOrEqual => ">= ",
        Operator::Less => "< ",
        Operator::LessOrEqual => "<= ",
        Operator::Pessimistic => "~> ",
    };
    let version = condition.version.to_string();
    if !is_minor_only(condition) {
        return format!("{operator}{version}");
    }
    // `1.2.0-beta1` loses its third number.
    let end = version.find(['-', '+']).unwrap_or(version.len());
    let (numbers, rest) = version.split_at(end);
    let numbers: Vec<&str> = numbers.split('.').take(2).collect();
    format!("{operator}{}{rest}", numbers.join("."))
}
