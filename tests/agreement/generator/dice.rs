//! Generates a sequence of pseudorandom decisions from a seed.

/// `SplitMix64`: small, and sufficient for varying test cases. It must never change.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is at least 1.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).expect("a small number");
        usize::try_from(self.roll() % limit).expect("below a small number")
    }

    /// A number from `low` to `high`, inclusive.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True with a probability in percent.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One word of a table.
    pub(crate) fn word(&mut self, table: &[&'static str]) -> &'static str {
        table[self.below(table.len())]
    }

    /// One of several items. Returns `None` if there are none.
    pub(crate) fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        if things.is_empty() { None } else { Some(&things[self.below(things.len())]) }
    }
}
