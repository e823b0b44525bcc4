//! Writes the seeds of each target to `corpus/<target>/`, where the fuzzer reads them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

use properties::TARGETS;

fn main() -> io::Result<()> {
    for target in TARGETS {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        fs::create_dir_all(&directory)?;
        for seed in (target.seeds)() {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            fs::write(directory.join(format!("seed-{:016x}", hasher.finish())), seed)?;
        }
    }
    Ok(())
}
