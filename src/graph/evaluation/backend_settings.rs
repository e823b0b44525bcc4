//! The configuration of the backend in a `terraform_remote_state` data source.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::value::{Type, Value, convert};

/// The backend types of all releases.
#[rustfmt::skip]
const BACKENDS: &[&str] = &[
    "_local", "artifactory", "azure", "azurerm", "cloud", "consul", "cos", "etcd", "etcdv3", "gcs", "http", "inmem",
    "kubernetes", "local", "manta", "oci", "oss", "pg", "remote", "s3", "swift",
];

/// The backend types that Terraform 1.3 removed. OpenTofu never had them.
const REMOVED: &[&str] = &["artifactory", "azure", "etcd", "etcdv3", "manta", "swift"];

/// The arguments of the backend `s3` that Terraform 1.10 removed. `assume_role` contains them.
const REMOVED_OF_S3: &[&str] = &[
    "assume_role_duration_seconds",
    "assume_role_policy",
    "assume_role_policy_arns",
    "assume_role_tags",
    "assume_role_transitive_tag_keys",
    "external_id",
    "role_arn",
    "session_name",
];

/// The arguments of a backend type.
struct Settings {
    backend: &'static str,
    /// The arguments that every release of Terraform and OpenTofu requires.
    required: &'static [&'static str],
    /// The other strings that any release has.
    strings: &'static [&'static str],
    /// The arguments that are not strings.
    typed: &'static [(Kind, &'static [&'static str])],
}

/// The type of an argument.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Bool,
    Number,
    /// A nested block that occurs once.
    Object,
    /// A type that is not checked: a collection, or a block whose form depends on the release.
    Other,
}

use Kind::{Bool, Number, Object, Other};

/// The backend types whose configuration is checked.
#[rustfmt::skip]
const SETTINGS: &[Settings] = &[
    Settings {
        backend: "azurerm",
        required: &["container_name", "key", "storage_account_name"],
        strings: &[
            "access_key", "ado_pipeline_service_connection_id", "ado_service_connection_id",
            "client_certificate", "client_certificate_password", "client_certificate_path", "client_id",
            "client_id_file_path", "client_secret", "client_secret_file_path", "customer_provided_key",
            "encryption_scope", "endpoint", "environment", "lookup_blob_endpoint", "metadata_host",
            "msi_endpoint", "oidc_request_token", "oidc_request_url", "oidc_token", "oidc_token_file_path",
            "resource_group_name", "sas_token", "subscription_id", "tenant_id",
        ],
        typed: &[
            (Bool, &[
                "snapshot", "use_aks_workload_identity", "use_azuread_auth", "use_cli", "use_microsoft_graph",
                "use_msi", "use_oidc",
            ]),
            (Number, &["timeout_seconds"]),
        ],
    },
    Settings {
        backend: "consul",
        required: &["path"],
        strings: &[
            "access_token", "address", "ca_file", "cert_file", "datacenter", "http_auth", "key_file",
            "scheme",
        ],
        typed: &[
            (Bool, &["gzip", "lock"]),
        ],
    },
    Settings {
        backend: "cos",
        required: &["bucket"],
        strings: &[
            "acl", "cam_role_name", "domain", "endpoint", "key", "prefix", "profile", "region", "secret_id",
            "secret_key", "security_token", "shared_credentials_dir",
        ],
        typed: &[
            (Bool, &["accelerate", "encrypt"]),
            (Other, &["assume_role"]),
        ],
    },
    Settings {
        backend: "gcs",
        required: &["bucket"],
        strings: &[
            "access_token", "credentials", "encryption_key", "impersonate_service_account",
            "kms_encryption_key", "prefix", "storage_custom_endpoint", "universe_domain",
        ],
        typed: &[
            (Other, &["impersonate_service_account_delegates"]),
        ],
    },
    Settings {
        backend: "http",
        required: &[],
        strings: &[
            "address", "client_ca_certificate_pem", "client_certificate_pem", "client_private_key_pem",
            "lock_address", "lock_method", "password", "unlock_address", "unlock_method", "update_method",
            "username",
        ],
        typed: &[
            (Bool, &["skip_cert_verification"]),
            (Number, &["retry_max", "retry_wait_max", "retry_wait_min"]),
            (Other, &["headers"]),
        ],
    },
    Settings {
        backend: "kubernetes",
        required: &["secret_suffix"],
        strings: &[
            "client_certificate", "client_key", "cluster_ca_certificate", "config_context",
            "config_context_auth_info", "config_context_cluster", "config_path", "host", "namespace",
            "password", "proxy_url", "token", "username",
        ],
        typed: &[
            (Bool, &["in_cluster_config", "insecure", "load_config_file"]),
            (Other, &["config_paths", "exec", "labels"]),
        ],
    },
    Settings {
        backend: "local",
        required: &[],
        strings: &["path", "workspace_dir"],
        typed: &[],
    },
    Settings {
        backend: "oss",
        required: &["bucket"],
        strings: &[
            "access_key", "acl", "assume_role_policy", "assume_role_role_arn", "assume_role_session_name",
            "ecs_role_name", "endpoint", "key", "policy", "prefix", "profile", "region", "role_arn",
            "secret_key", "security_token", "session_name", "shared_credentials_file", "sts_endpoint",
            "tablestore_endpoint", "tablestore_instance_name", "tablestore_table",
        ],
        typed: &[
            (Bool, &["encrypt"]),
            (Number, &["assume_role_session_expiration", "session_expiration"]),
            (Other, &["assume_role"]),
        ],
    },
    Settings {
        backend: "pg",
        required: &[],
        strings: &["conn_str", "index_name", "schema_name", "table_name"],
        typed: &[
            (Bool, &["skip_index_creation", "skip_schema_creation", "skip_table_creation"]),
        ],
    },
    Settings {
        backend: "remote",
        required: &["organization"],
        strings: &["hostname", "token"],
        typed: &[
            (Object, &["workspaces"]),
        ],
    },
    Settings {
        backend: "s3",
        required: &["bucket", "key"],
        strings: &[
            "access_key", "acl", "assume_role_policy", "custom_ca_bundle", "dynamodb_endpoint",
            "dynamodb_table", "ec2_metadata_service_endpoint", "ec2_metadata_service_endpoint_mode",
            "endpoint", "external_id", "http_proxy", "https_proxy", "iam_endpoint", "kms_key_id", "no_proxy",
            "profile", "region", "retry_mode", "role_arn", "secret_key", "session_name",
            "shared_credentials_file", "sse_customer_key", "sts_endpoint", "sts_region", "token",
            "workspace_key_prefix",
        ],
        typed: &[
            (Bool, &[
                "encrypt", "force_path_style", "insecure", "skip_credentials_validation",
                "skip_metadata_api_check", "skip_region_validation", "skip_requesting_account_id",
                "skip_s3_checksum", "use_dualstack_endpoint", "use_fips_endpoint", "use_legacy_workflow",
                "use_lockfile", "use_path_style",
            ]),
            (Number, &["assume_role_duration_seconds", "max_retries"]),
            (Other, &[
                "allowed_account_ids", "assume_role", "assume_role_policy_arns", "assume_role_tags",
                "assume_role_transitive_tag_keys", "assume_role_with_web_identity", "endpoints",
                "forbidden_account_ids", "lock_tags", "shared_config_files", "shared_credentials_files",
                "state_tags",
            ]),
        ],
    },
];

/// Whether the engine has, or may have, a backend of this type.
pub(super) fn exists(name: &str, engine: Engine) -> bool {
    BACKENDS.contains(&name)
        && !(engine.lacks_removed_backends() && REMOVED.contains(&name))
        && !(name == "oci" && engine.lacks_oci_backend())
}

/// The reason why a backend refuses a configuration. An argument that some release has is accepted, unless the engine
/// certainly lacks it.
pub(super) fn refused(backend: &str, config: &BTreeMap<SmolStr, Value>, engine: Engine) -> Option<String> {
    let settings = SETTINGS.iter().find(|settings| settings.backend == backend)?;
    let others = settings.typed.iter().map(|(_, names)| *names).chain([settings.required, settings.strings]);
    let known: BTreeSet<&str> = others.flatten().copied().collect();
    if let Some(unknown) = config.keys().find(|name| !known.contains(name.as_str())) {
        return Some(format!("The backend {backend:?} has no argument `{unknown}`."));
    }
    if backend == "s3" && engine.lacks_role_arguments_of_s3() {
        let removed = REMOVED_OF_S3.iter().find(|name| config.contains_key(**name));
        if let Some(removed) = removed {
            return Some(format!(
                "Terraform 1.10 removed the argument `{removed}` of the backend {backend:?}. Set the role in \
                 `assume_role`."
            ));
        }
    }
    if let Some(missing) = settings.required.iter().find(|name| !config.contains_key(**name)) {
        return Some(format!("The backend {backend:?} requires the argument `{missing}`."));
    }
    config.iter().find_map(|(name, value)| {
        let why = settings.mismatch(name, value)?;
        Some(format!("This value is not valid for `{name}` of the backend {backend:?}: {why}."))
    })
}

/// The summaries and details of the errors in a complete configuration of the backend `remote`.
pub(super) fn refused_by_remote(config: &BTreeMap<SmolStr, Value>) -> Vec<(&'static str, &'static str)> {
    let is_set =
        |value: Option<&Value>| value.is_some_and(|value| !value.is_null() && value.as_str() != Some(""));
    let workspaces = match config.get("workspaces") {
        Some(Value::Object(workspaces) | Value::Map(_, workspaces)) => Some(workspaces),
        _ => None,
    };
    let has = |name: &str| is_set(workspaces.and_then(|workspaces| workspaces.get(name)));
    let mut refused = Vec::new();
    if !is_set(config.get("organization")) {
        refused.push(("Invalid organization value", "The name of the organization is empty."));
    }
    match (has("name"), has("prefix")) {
        (false, false) => refused.push((REMOTE_WORKSPACES, "Set `name` or `prefix` in `workspaces`.")),
        (true, true) => {
            refused.push((REMOTE_WORKSPACES, "Set only one of `name` and `prefix` in `workspaces`."));
        }
        (true, false) | (false, true) => {}
    }
    refused
}

const REMOTE_WORKSPACES: &str = "Invalid workspaces configuration";

impl Settings {
    /// Why an argument cannot have a value.
    fn mismatch(&self, name: &str, value: &Value) -> Option<String> {
        let typed = self.typed.iter().find(|(_, names)| names.contains(&name));
        let ty = match typed.map(|(kind, _)| kind) {
            None => Type::String,
            Some(Bool) => Type::Bool,
            Some(Number) => Type::Number,
            Some(Object) => {
                let is_object =
                    value.is_null() || matches!(value.ty(), Type::Any | Type::Object(_) | Type::Map(_));
                return (!is_object).then(|| "an object is required".to_owned());
            }
            Some(Other) => return None,
        };
        Some(convert(value, &ty).err()?.to_string())
    }
}
