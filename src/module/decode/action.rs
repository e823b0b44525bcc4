//! Decodes `action` blocks and the triggers of actions.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::module::address::Subject;
use crate::module::config::Config;
use crate::module::declaration::{Action, Origin};
use crate::module::decode::Decoder;
use crate::syntax::{AttributeSchema, Block, BlockSchema, Expr, Schema};
use crate::text::Span;

const SCHEMA: Schema<'_> = Schema {
    attributes: &[
        AttributeSchema::optional("count"),
        AttributeSchema::optional("for_each"),
        AttributeSchema::optional("provider"),
    ],
    blocks: &[BlockSchema::new("config", &[])],
};

const TRIGGER: Schema<'_> = Schema {
    attributes: &[
        AttributeSchema::required("events"),
        AttributeSchema::optional("condition"),
        AttributeSchema::required("actions"),
    ],
    blocks: &[],
};

const EVENTS: &[&str] = &["before_create", "after_create", "before_update", "after_update"];

impl Decoder<'_> {
    pub(super) fn action(&mut self, block: &Arc<Block>) -> Action {
        self.name(&block.labels[0], "Invalid action type name");
        self.name(&block.labels[1], "Invalid action name");
        let content = block.body.content(&SCHEMA, self.findings);
        let (count, for_each) = self.repetition(&content, None);
        let config = self.only(&content, "config", EngineRule::InvalidAction);
        let provider_ref = content
            .attribute("provider")
            .and_then(|attribute| self.provider_ref(&attribute.expr, "provider"));
        Action {
            kind: block.labels[0].text.clone(),
            name: block.labels[1].text.clone(),
            origin: Origin::of(block),
            count,
            for_each,
            provider_ref,
            config: config.map(|config| Config::Plain(config.body.clone())),
        }
    }

    /// Decodes an `action_trigger` block. Returns the references to actions.
    pub(super) fn action_trigger(&mut self, block: &Block) -> Vec<Expr> {
        let content = block.body.content(&TRIGGER, self.findings);
        let no_events = content.attribute("events").is_none_or(|attribute| !self.events(&attribute.expr));
        let actions = content.attribute("actions").and_then(|actions| self.triggered(&actions.expr));
        if actions.is_none() {
            self.findings.push(wrong(
                "No actions specified",
                block.header,
                "A trigger must list at least one action to run.",
            ));
        }
        if no_events {
            self.findings.push(wrong(
                "No events specified",
                block.header,
                "A trigger must list at least one event that runs it.",
            ));
        }
        actions.unwrap_or_default()
    }

    /// Reports invalid events. Returns whether there is a valid one.
    fn events(&mut self, expr: &Expr) -> bool {
        let mut events: Vec<SmolStr> = Vec::new();
        for element in expr.static_list(self.findings).unwrap_or_default() {
            let event = element.keyword().unwrap_or_default();
            if !EVENTS.contains(&event.as_str()) {
                let detail = format!("The events are {}.", EVENTS.join(", "));
                self.findings.push(wrong(&format!("Invalid \"event\" value {event}"), element.span, &detail));
            } else if events.contains(&event) {
                let summary = format!("Duplicate {:?} event", event.as_str());
                self.findings.push(wrong(&summary, element.span, "This trigger lists the event twice."));
            } else {
                events.push(event);
            }
        }
        !events.is_empty()
    }

    /// Reports invalid actions, and returns the others. Returns `None` if there are no elements.
    fn triggered(&mut self, expr: &Expr) -> Option<Vec<Expr>> {
        let elements = expr.static_list(self.findings).filter(|elements| !elements.is_empty())?;
        Some(self.each_reference(elements, Self::trigger_reference))
    }

    fn trigger_reference(&mut self, element: &Expr) {
        let mut actions = 0;
        let is_readable = self.judge_references(element, &mut |subject| match subject {
            Subject::Action { .. } => {
                actions += 1;
                None
            }
            Subject::Module { .. } => Some(wrong(
                "Invalid reference to action outside this module",
                element.span,
                "Actions can be triggered only in the module that declares them.",
            )),
            Subject::Resource { .. } => Some(wrong(
                "Invalid action argument inside action_triggers",
                element.span,
                "A trigger lists actions by address: `action.type.name`.",
            )),
            _ => None,
        });
        if is_readable && actions == 0 {
            self.findings.push(wrong(
                "No actions specified",
                element.span,
                "This is not the address of an action.",
            ));
        } else if is_readable && actions > 1 {
            let detail = "This names more than one action. Write a separate element for each.";
            self.findings.push(wrong("Invalid action expression", element.span, detail));
        }
    }
}

fn wrong(summary: &str, at: Span, detail: &str) -> Finding {
    Finding::language(EngineRule::InvalidAction, summary).detail(detail).at(at)
}
