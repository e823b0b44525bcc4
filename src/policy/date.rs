//! Dates such as `2027-03-31`.

use std::fmt;
use std::time::SystemTime;

/// A calendar date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Parses a date with four, two and two digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = |part: &str, wide: usize| {
            (part.len() == wide && part.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
        };
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        digits(year, 4).and(digits(month, 2)).and(digits(day, 2))?;
        let date = Self { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        let exists = (1..=12).contains(&date.month) && (1..=date.days_of_month()).contains(&date.day);
        (parts.next().is_none() && exists).then_some(date)
    }

    /// The current date in UTC, so that a run has the same result everywhere.
    pub fn today() -> Self {
        let seconds = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs());
        Self::after_epoch(seconds / (24 * 60 * 60))
    }

    fn after_epoch(mut days: u64) -> Self {
        let mut date = Self { year: 1970, month: 1, day: 1 };
        loop {
            let length = u64::from(date.days_of_month());
            if days < length {
                let day = u8::try_from(days + 1).expect("a month has no more than 31 days");
                return Self { day, ..date };
            }
            days -= length;
            date = match date.month {
                // A clock beyond the range of this type is wrong. It counts as the last date.
                12 if date.year == 9999 => return Self { day: 31, ..date },
                12 => Self { year: date.year + 1, month: 1, ..date },
                month => Self { month: month + 1, ..date },
            };
        }
    }

    fn days_of_month(self) -> u8 {
        let is_leap =
            self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 31,
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
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
            "31.3.2027",
            "+027-03-31",
            "",
        ] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn days_are_counted_from_the_epoch() {
        let reported = [0, 58, 59, 365, 19_782, 20_000].map(|days| Date::after_epoch(days).to_string());
        assert_eq!(
            reported,
            ["1970-01-01", "1970-02-28", "1970-03-01", "1971-01-01", "2024-02-29", "2024-10-04"]
        );
        assert!(Date::today() > Date::after_epoch(19_000));
    }
}
