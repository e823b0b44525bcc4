//! The backend types, and their arguments in all releases of Terraform and OpenTofu.

/// The backend types of all releases.
#[rustfmt::skip]
pub(super) const BACKENDS: &[&str] = &[
    "_local", "artifactory", "azure", "azurerm", "cloud", "consul", "cos", "etcd", "etcdv3", "gcs", "http", "inmem",
    "kubernetes", "local", "manta", "oci", "oss", "pg", "remote", "s3", "swift",
];

/// The backend types that a `backend` block cannot name.
pub(super) const NO_BLOCK: &[&str] = &["_local", "cloud"];

/// The backend types that Terraform 1.3 removed. OpenTofu never had them.
pub(super) const REMOVED: &[&str] = &["artifactory", "azure", "etcd", "etcdv3", "manta", "swift"];

/// The arguments of the backend `s3` that Terraform 1.10 removed. `assume_role` contains them.
pub(super) const REMOVED_OF_S3: &[&str] = &[
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
pub(super) struct Settings {
    pub(super) backend: &'static str,
    /// The arguments that every release of Terraform and OpenTofu requires.
    pub(super) required: &'static [&'static str],
    /// The other strings that any release has.
    pub(super) strings: &'static [&'static str],
    /// The arguments that are not strings.
    pub(super) typed: &'static [(Kind, &'static [&'static str])],
}

/// The type of an argument.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Bool,
    Number,
    /// A list or set of strings.
    Strings,
    /// A map of strings.
    Map,
    /// An object, whose attributes are not checked.
    Object,
    /// An object with the required attribute `role_arn`.
    Role,
    /// A nested block with these arguments that occurs once.
    Block(&'static [&'static str]),
    /// Nested blocks with these arguments. Their value in a `terraform_remote_state` data source is not checked.
    Blocks(&'static [&'static str]),
}

use Kind::{Block, Blocks, Bool, Map, Number, Object, Role, Strings};

/// The backend types whose configuration is checked.
#[rustfmt::skip]
pub(super) const SETTINGS: &[Settings] = &[
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
        backend: "cloud",
        required: &[],
        strings: &["hostname", "organization", "token"],
        typed: &[
            (Block(&["name", "project", "tags"]), &["workspaces"]),
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
            (Blocks(&["external_id", "policy", "role_arn", "session_duration", "session_name"]), &["assume_role"]),
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
            (Strings, &["impersonate_service_account_delegates"]),
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
            (Map, &["headers"]),
        ],
    },
    Settings {
        backend: "inmem",
        required: &[],
        strings: &["lock_id"],
        typed: &[],
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
            (Strings, &["config_paths"]),
            (Map, &["labels"]),
            (Blocks(&["api_version", "args", "command", "env"]), &["exec"]),
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
            (Blocks(&["policy", "role_arn", "session_expiration", "session_name"]), &["assume_role"]),
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
            (Block(&["name", "prefix"]), &["workspaces"]),
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
            (Strings, &[
                "allowed_account_ids", "assume_role_policy_arns", "assume_role_transitive_tag_keys",
                "forbidden_account_ids", "shared_config_files", "shared_credentials_files",
            ]),
            (Map, &["assume_role_tags", "lock_tags", "state_tags"]),
            (Object, &["assume_role_with_web_identity", "endpoints"]),
            (Role, &["assume_role"]),
        ],
    },
];

impl Settings {
    /// The type of an argument or block. `None` for a string.
    pub(super) fn kind(&self, name: &str) -> Option<Kind> {
        self.typed.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
    }

    /// The names of the arguments and blocks, with their types.
    pub(super) fn names(&self) -> impl Iterator<Item = (&'static str, Option<Kind>)> {
        let strings = self.required.iter().chain(self.strings).map(|name| (*name, None));
        strings
            .chain(self.typed.iter().flat_map(|(kind, names)| names.iter().map(|name| (*name, Some(*kind)))))
    }
}

impl Kind {
    /// The arguments of a nested block. `None` for an argument.
    pub(super) fn arguments(self) -> Option<&'static [&'static str]> {
        match self {
            Block(arguments) | Blocks(arguments) => Some(arguments),
            Bool | Number | Strings | Map | Object | Role => None,
        }
    }
}
