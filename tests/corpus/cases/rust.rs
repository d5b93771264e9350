use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{mpsc, Arc, Barrier, Mutex, RwLock};
use std::thread;

struct Noisy(&'static str);

impl Drop for Noisy {
    fn drop(&mut self) {
        println!("drop {}{}", self.0, if thread::panicking() { " while panicking" } else { "" });
    }
}

thread_local!(static LOCAL: RefCell<Vec<u32>> = RefCell::new(Vec::new()));

#[derive(Debug)]
enum Failure {
    Parse(std::num::ParseIntError),
    Negative(i64),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Parse(error) => write!(f, "parse: {error}"),
            Failure::Negative(n) => write!(f, "negative: {n}"),
        }
    }
}

fn parse(text: &str) -> Result<i64, Failure> {
    let n: i64 = text.parse().map_err(Failure::Parse)?;
    if n < 0 { Err(Failure::Negative(n)) } else { Ok(n) }
}

fn deep(n: u32) -> u32 {
    let _noisy = (n % 3 == 0).then(|| Noisy("frame"));
    if n == 0 {
        panic!("bottom of {}", "recursion");
    }
    deep(n - 1) + 1
}

fn shapes() -> Vec<Box<dyn Fn(f64) -> f64 + Send>> {
    let factor = 2.0;
    vec![Box::new(move |x| x * factor), Box::new(f64::sqrt), Box::new(|x| x.powi(3))]
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("abort") {
        let _guard = Noisy("guard");
        std::process::abort();
    }
    let caught = panic::catch_unwind(|| deep(7));
    println!("{:?}", caught.unwrap_err().downcast_ref::<String>());
    for index in [1usize, 9] {
        let items = [1, 2, 3];
        let result = panic::catch_unwind(AssertUnwindSafe(|| items[index]));
        println!("{:?}", result.ok());
    }
    let nested = panic::catch_unwind(|| {
        let _outer = Noisy("outer");
        let inner = panic::catch_unwind(|| panic::panic_any(42));
        let n = *inner.unwrap_err().downcast::<i32>().unwrap();
        panic::resume_unwind(Box::new(n + 1));
    });
    println!("{:?}", nested.unwrap_err().downcast_ref::<i32>());

    for text in ["12", "-3", "x", "99999999999999999999"] {
        match parse(text) {
            Ok(n) => println!("ok {n}"),
            Err(error) => println!("{error}"),
        }
    }
    let mut words: HashMap<String, usize> = HashMap::new();
    for i in 0..20000u64 {
        *words.entry(format!("w{}", i * 7919 % 311)).or_default() += 1;
    }
    let sorted: BTreeMap<_, _> = words.into_iter().collect();
    println!("{} {:?}", sorted.len(), sorted.iter().next());
    let mut numbers: Vec<u64> = (0..50000).map(|i| i * 7919 % 50021).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    println!("{} {} {}", numbers[0], numbers[25000], numbers.iter().filter(|n| *n % 7 == 0).count());
    println!("{:?}", shapes().iter().map(|f| f(9.0)).collect::<Vec<_>>());
    println!("{:>8}|{:<6}|{:^7}|{:08.3}|{:#x}|{:e}", "right", "left", "mid", 3.14159, 255, 1234.5);
    println!("{}", "größe und straße".chars().rev().collect::<String>().to_uppercase());
    println!("{:?} {:?}", i32::MAX.checked_add(1), 5u8.wrapping_sub(9));

    let total = Arc::new(Mutex::new(0u64));
    let table = Arc::new(RwLock::new(vec![0u32; 16]));
    let barrier = Arc::new(Barrier::new(4));
    let handles: Vec<_> = (0..4u64)
        .map(|t| {
            let (total, table, barrier) = (total.clone(), table.clone(), barrier.clone());
            thread::Builder::new().name(format!("t{t}")).spawn(move || {
                LOCAL.with(|local| local.borrow_mut().push(t as u32));
                barrier.wait();
                for i in 0..2000 {
                    *total.lock().unwrap() += i * t;
                    table.write().unwrap()[(i % 16) as usize] += 1;
                }
                if t == 3 {
                    panic!("thread {t}");
                }
                LOCAL.with(|local| local.borrow().len())
            }).unwrap()
        })
        .collect();
    for handle in handles {
        println!("{:?}", handle.join().map_err(|e| e.downcast_ref::<String>().cloned()));
    }
    println!("{} {:?}", total.lock().unwrap(), table.read().unwrap().iter().sum::<u32>());
    let (sender, receiver) = mpsc::channel();
    for t in 0..3 {
        let sender = sender.clone();
        thread::spawn(move || (0..100).for_each(|i| sender.send(t * 1000 + i).unwrap()));
    }
    drop(sender);
    println!("{}", receiver.iter().sum::<i32>());
    thread::scope(|scope| {
        let joined = scope.spawn(|| numbers.iter().sum::<u64>()).join().unwrap();
        println!("{joined}");
    });
    let _last = Noisy("last");
    std::process::exit(deep_exit(3));
}

fn deep_exit(n: i32) -> i32 {
    if n == 0 { 7 } else { deep_exit(n - 1) }
}
