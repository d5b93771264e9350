# A redis server under its benchmark: replies, persistence, Lua scripts, SIGTERM.
# programs: redis-server redis-cli redis-benchmark
# version: redis-server --version

cli() {
	redis-cli -s "$TMPDIR/redis.sock" "$@"
}

run() {
	local server command
	redis-server --port 0 --unixsocket "$TMPDIR/redis.sock" --dir "$PWD" --save '' --appendonly yes \
		--logfile server.log &
	server=$!
	until cli ping 2>/dev/null | grep -q PONG; do sleep 0.1; done
	redis-benchmark -s "$TMPDIR/redis.sock" -n 5000 -c 20 -q --csv -t ping,set,get,incr,lpush,rpop,sadd,hset,spop,zadd,zpopmin,lrange_100,mset |
		cut -d , -f 1
	redis-benchmark -s "$TMPDIR/redis.sock" -n 5000 -c 10 -P 16 --threads 2 -q --csv -r 1000 eval \
		'return redis.call("incr", KEYS[1])' 1 counter | cut -d , -f 1
	cli flushall
	for ((i = 0; i < 500; i++)); do echo "set key$i value$((i * 7919 % 1009))"; echo "zadd sorted $((i * 31 % 97)) m$i"; done |
		cli | sort | uniq -c
	while read -r command; do
		eval "cli $command"
	done <<-'END'
		dbsize
		get key77
		zrange sorted 0 9 withscores
		zrangebyscore sorted 90 '(93' limit 0 4
		eval "local s = 0 for i = 0, 499 do s = s + #redis.call('get', 'key' .. i) end return s" 0
		eval "return redis.call('nonsense')" 0
		hset hash a 1 b 2 c 3
		hincrbyfloat hash b 2.5
		hgetall hash
		xadd stream 1-1 field value
		xrange stream - +
		setbit bits 1000 1
		bitcount bits
		geoadd cities 13.4 52.5 Berlin 2.35 48.85 Paris
		geodist cities Berlin Paris km
		pfadd log a b c d e
		pfcount log
		lpush list 1 2 3
		lset list 9 x
		sort list desc
		object encoding list
		expire hash 100
		type hash
		multi
		bgrewriteaof
	END
	while cli info persistence | grep -q -E 'aof_rewrite_(in_progress|scheduled):1'; do sleep 0.1; done
	cli save
	kill -TERM "$server"
	wait "$server" || echo "status $?"
	redis-check-rdb dump.rdb | grep -E 'keys read|Checksum OK'
	tail -n 3 server.log | sed -E 's/^.*[*#] //'
	rm -rf server.log dump.rdb appendonlydir
}
