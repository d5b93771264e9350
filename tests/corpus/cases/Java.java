import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.*;
import java.util.zip.*;

public class Java {
	record Item(int id, String name, double price) { }
	sealed interface Shape permits Circle, Box { double area(); }
	record Circle(double r) implements Shape { public double area() { return Math.PI * r * r; } }
	record Box(double a, double b) implements Shape { public double area() { return a * b; } }

	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	static int depth;
	static void dive() { depth++; dive(); }

	public static void main(String[] arguments) throws Exception {
		boolean small = arguments.length > 0;
		System.out.println(fib(small ? 15 : 25));
		var items = IntStream.range(0, 5000).mapToObj(i -> new Item(i, "item" + i * 7919 % 311, i % 97 / 3.0)).toList();
		Map<Integer, Double> means = items.stream().collect(Collectors.groupingBy(i -> i.id() % 7, TreeMap::new, Collectors.averagingDouble(Item::price)));
		System.out.println(means);
		System.out.println(items.parallelStream().map(Item::name).distinct().sorted(Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder())).limit(5).toList());
		for (Runnable broken : List.<Runnable>of(() -> { Object o = null; o.hashCode(); }, () -> { int z = 0; System.out.println(1 / z); },
				() -> { int[] a = new int[2]; a[depth + 2] = 1; }, () -> { Object s = "x"; Integer i = (Integer) s; }, Java::dive)) {
			try { broken.run(); } catch (Throwable error) { System.out.println(error.getClass().getSimpleName()); depth = 0; }
		}
		var pool = Executors.newFixedThreadPool(4);
		var total = new AtomicLong();
		var futures = new ArrayList<Future<Integer>>();
		for (int t = 0; t < 8; t++) {
			int n = t;
			futures.add(pool.submit(() -> { for (int i = 0; i < 1000; i++) total.addAndGet(i); if (n == 5) throw new IllegalStateException("task " + n); return fib(10 + n); }));
		}
		for (var future : futures) {
			try { System.out.print(future.get() + " "); } catch (ExecutionException error) { System.out.print(error.getCause().getMessage() + " "); }
		}
		pool.shutdown();
		System.out.println(pool.awaitTermination(60, TimeUnit.SECONDS) + " " + total);
		var lock = new Object();
		var waiting = new Thread(() -> { synchronized (lock) { try { lock.wait(); } catch (InterruptedException e) { System.out.println("interrupted"); } } });
		waiting.start();
		while (waiting.getState() != Thread.State.WAITING) Thread.sleep(1);
		waiting.interrupt();
		waiting.join();
		byte[] text = "some text that repeats itself ".repeat(2000).getBytes(StandardCharsets.UTF_8);
		System.out.println(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text)));
		var deflater = new Deflater(); deflater.setInput(text); deflater.finish();
		byte[] packed = new byte[text.length]; int length = deflater.deflate(packed);
		var inflater = new Inflater(); inflater.setInput(packed, 0, length);
		byte[] restored = new byte[text.length]; inflater.inflate(restored);
		System.out.println(length + " " + Arrays.equals(text, restored));
		long garbage = 0;
		for (int i = 0; i < (small ? 200 : 20000); i++) { var list = new ArrayList<byte[]>(); for (int j = 0; j < 10; j++) list.add(new byte[200]); garbage += list.size(); }
		System.gc();
		System.out.println(garbage + " " + new java.math.BigInteger("7").pow(200).mod(java.math.BigInteger.valueOf(1000007)));
		System.out.println(String.format("%08.3f|%-6s|%x|%,d", Math.E, "ab", 255, 1234567) + " " + "a1b22".replaceAll("(\\d+)", "<$1>") + " " + Stream.of(new Circle(1), new Box(2, 3)).mapToDouble(Shape::area).sum());
		Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
		System.exit(0);
	}
}
