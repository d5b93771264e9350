// A panic that is caught, and what its way there cleans up.
#[inline(never)]
fn panic_from(depth: u32) -> u32 {
    let kept = vec![depth; 4];
    if depth == 0 {
        panic!("panicked");
    }
    panic_from(depth - 1) + kept[1]
}

fn once() -> bool {
    let caught = std::panic::catch_unwind(|| panic_from(5)).is_err();
    let mut values: Vec<u32> = (0..200).map(|i| i * 7919 % 101).collect();
    values.sort();
    caught && values[3] == 1
}

// Argument: how often (1).
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let rounds = std::env::args().nth(1).map_or(1, |text| text.parse().unwrap());
    println!("{}", (0..rounds).all(|_: u32| once()));
}
