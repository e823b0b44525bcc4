#![no_main]

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::change::holds(bytes));
