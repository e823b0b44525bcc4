//! The known releases, so that `1.11` means the newest release of 1.11.

use super::{Product, Version};

/// `(major, minor, last patch)`. Both products number patches from 0 without gaps.
type Line = (u16, u16, u16);

/// Ascending. Terraform before 0.12 has another language.
const TERRAFORM: &[Line] = &[
    (0, 12, 31),
    (0, 13, 7),
    (0, 14, 11),
    (0, 15, 5),
    (1, 0, 11),
    (1, 1, 9),
    (1, 2, 9),
    (1, 3, 10),
    (1, 4, 7),
    (1, 5, 7),
    (1, 6, 6),
    (1, 7, 5),
    (1, 8, 5),
    (1, 9, 8),
    (1, 10, 5),
    (1, 11, 4),
    (1, 12, 2),
    (1, 13, 5),
    (1, 14, 9),
    (1, 15, 9),
];

/// Ascending. OpenTofu began with 1.6.
const OPENTOFU: &[Line] =
    &[(1, 6, 3), (1, 7, 10), (1, 8, 11), (1, 9, 4), (1, 10, 10), (1, 11, 14), (1, 12, 6)];

impl Product {
    /// The newest stable release.
    pub fn newest_release(self) -> Version {
        self.newest_release_where(|_| true).expect("every product has a release")
    }

    /// The newest release for which `admits` returns true.
    pub fn newest_release_where(self, mut admits: impl FnMut(Version) -> bool) -> Option<Version> {
        let lines = self.lines().iter().rev();
        lines
            .flat_map(|(major, minor, last)| {
                (0..=*last).rev().map(|patch| Version::new(*major, *minor, patch))
            })
            .find(|version| admits(*version))
    }

    /// The last known releases of the minor versions.
    pub fn last_patches(self) -> impl Iterator<Item = Version> {
        self.lines().iter().map(|(major, minor, last)| Version::new(*major, *minor, *last))
    }

    /// The oldest release whose differences from later ones are known.
    pub fn oldest_modelled(self) -> Version {
        match self {
            Self::Terraform => Version::new(1, 0, 0),
            Self::OpenTofu => self.oldest_release(),
        }
    }

    /// The oldest release with the current language.
    pub fn oldest_release(self) -> Version {
        let (major, minor, _) = self.lines()[0];
        Version::new(major, minor, 0)
    }

    /// The newest release that starts with these numbers.
    pub(super) fn newest_within(self, numbers: &[u16]) -> Option<Version> {
        self.newest_release_where(|version| {
            [version.major, version.minor, version.patch].iter().zip(numbers).all(|(a, b)| a == b)
        })
    }

    fn lines(self) -> &'static [Line] {
        match self {
            Self::Terraform => TERRAFORM,
            Self::OpenTofu => OPENTOFU,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_ascend() {
        assert!(TERRAFORM.is_sorted_by(|a, b| a < b) && OPENTOFU.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn the_newest_release_within_a_minor_version_is_its_last_patch() {
        assert_eq!(Product::Terraform.newest_within(&[1, 11]), Some(Version::new(1, 11, 4)));
        assert_eq!(Product::OpenTofu.newest_within(&[1]), Some(Product::OpenTofu.newest_release()));
        assert_eq!(Product::OpenTofu.newest_within(&[1, 5]), None);
    }

    #[test]
    fn the_readme_names_the_known_versions() {
        let known = [Product::Terraform, Product::OpenTofu].map(|product| {
            let (oldest, newest) = (product.oldest_modelled(), product.newest_release());
            format!(
                "{} {}.{} to {}.{}",
                product.name(),
                oldest.major,
                oldest.minor,
                newest.major,
                newest.minor
            )
        });
        let sentence = format!("overrule knows {}.", known.join(" and "));
        assert!(include_str!("../../README.md").contains(&sentence), "{sentence}");
    }

    #[test]
    fn a_constraint_picks_the_newest_release_it_admits() {
        let below = |version| version < Version::new(1, 12, 0);
        assert_eq!(Product::Terraform.newest_release_where(below), Some(Version::new(1, 11, 4)));
    }
}
