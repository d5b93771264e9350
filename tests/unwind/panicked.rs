// A panic that is caught, and what its way there cleans up.
#[inline(never)]
fn panic_from(depth: u32) -> u32 {
    let kept = vec![depth; 4];
    if depth == 0 {
        panic!("panicked");
    }
    panic_from(depth - 1) + kept[1]
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| panic_from(5)).is_err();
    let mut values: Vec<u32> = (0..200).map(|i| i * 7919 % 101).collect();
    values.sort();
    println!("{} {}", caught, values[3]);
}
