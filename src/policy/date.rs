//! Dates such as `2027-03-31`.

use std::fmt;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};

/// A calendar date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// Parses a date with four, two and two digits.
    pub fn parse(text: &str) -> Option<Self> {
        let date: civil::Date = text.parse().ok()?;
        // The crate also accepts other notations, such as a time after the date.
        (text.len() == "YYYY-MM-DD".len() && date.to_string() == text).then_some(Self(date))
    }

    /// The current date in UTC, so that a run has the same result everywhere.
    pub fn today() -> Self {
        Self(Timestamp::now().to_zoned(TimeZone::UTC).date())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        for good in ["2027-03-31", "2028-02-29", "2000-02-29"] {
            assert_eq!(Date::parse(good).map(|date| date.to_string()).as_deref(), Some(good));
        }
        for bad in [
            "2027-02-29",
            "2100-02-29",
            "2027-13-01",
            "2027-3-31",
            "2027-03-31-1",
            "2027-03-31T00:00",
            "20270331",
            "+002027-03-31",
            "-002027-03-31",
            "31.3.2027",
            "+027-03-31",
            "",
        ] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }
}
