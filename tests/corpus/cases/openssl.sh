# openssl: digests, ciphers, keys, signatures, certificates, primes, one second of speed.
# programs: openssl
# unmatched: assembly of libcrypto calls into the middle of functions (aesni_ctr32_encrypt_blocks)
# partial: was killed$
# version: openssl version
# set: quick
# modes: null,poison,counting,dormant

prepare() {
	head -c 300000 /usr/bin/openssl >file
}

run() {
	local digest cipher kind
	for digest in md5 sha1 sha224 sha256 sha384 sha512 sha3-256 shake128 blake2b512 blake2s256 sm3 rmd160; do
		openssl dgst "-$digest" "$DATA/file" | sed 's/(.*)//'
	done
	openssl dgst -sha256 -hmac key "$DATA/file" | sed 's/(.*)//'
	for cipher in aes-128-cbc aes-256-ctr aes-192-cfb aes-256-ofb des-ede3-cbc chacha20 camellia-256-cbc aria-128-cbc sm4-cbc; do
		openssl enc "-$cipher" -pbkdf2 -iter 1000 -S 0102030405060708 -k pass -in "$DATA/file" -out enc
		md5sum enc
		openssl enc -d "-$cipher" -pbkdf2 -iter 1000 -S 0102030405060708 -k pass -in enc | cmp - "$DATA/file"
	done
	openssl enc -d -aes-128-cbc -pbkdf2 -k wrong -in enc -out wrong 2>/dev/null || echo "status $?"
	for kind in 'RSA -pkeyopt rsa_keygen_bits:2048' 'EC -pkeyopt ec_paramgen_curve:P-256' 'EC -pkeyopt ec_paramgen_curve:secp521r1' ED25519; do
		openssl genpkey -algorithm $kind -out key.pem 2>/dev/null
		openssl pkey -in key.pem -pubout -out public.pem
		if [ "$kind" = ED25519 ]; then
			openssl pkeyutl -sign -rawin -in "$DATA/file" -inkey key.pem -out signature
			openssl pkeyutl -verify -rawin -in "$DATA/file" -pubin -inkey public.pem -sigfile signature
		else
			openssl dgst -sha256 -sign key.pem -out signature "$DATA/file"
			openssl dgst -sha256 -verify public.pem -signature signature "$DATA/file"
			openssl dgst -sha384 -verify public.pem -signature signature "$DATA/file" 2>/dev/null || echo "status $?"
		fi
		openssl req -x509 -new -key key.pem -days 30 -subj /CN=test -out certificate.pem
		openssl verify -CAfile certificate.pem certificate.pem
		openssl x509 -in certificate.pem -noout -subject -ext basicConstraints
	done
	openssl genpkey -algorithm X25519 -out a.pem
	openssl genpkey -algorithm X25519 -out b.pem
	openssl pkey -in b.pem -pubout -out b.pub
	openssl pkey -in a.pem -pubout -out a.pub
	openssl pkeyutl -derive -inkey a.pem -peerkey b.pub -out s1
	openssl pkeyutl -derive -inkey b.pem -peerkey a.pub -out s2
	cmp s1 s2
	openssl prime 1000000007
	openssl prime 561
	openssl rand -hex 16 | wc -c
	openssl kdf -keylen 16 -kdfopt digest:SHA256 -kdfopt key:k -kdfopt salt:s -kdfopt info:i HKDF
	openssl passwd -6 -salt salt password
	openssl passwd -1 -salt salt password
	openssl ciphers -s -tls1_3
	openssl base64 -in "$DATA/file" | md5sum
	openssl asn1parse -in public.pem | grep -c prim
	openssl speed -seconds 1 -bytes 1024 -evp aes-256-gcm 2>/dev/null | grep -ci ^aes-256-gcm
	openssl speed -seconds 1 ecdsap256 2>/dev/null | grep -ci nistp256
	tls
	rm -f ./*.pem ./*.pub s1 s2 enc signature wrong
}

# A TLS connection between two processes.
tls() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 30 \
		-subj /CN=localhost 2>/dev/null
	openssl s_server -accept "$PORT" -key key.pem -cert certificate.pem -www -quiet &
	local server=$! tries=0
	while ! openssl s_client -connect "localhost:$PORT" -CAfile certificate.pem -verify_return_error \
		-brief </dev/null >brief 2>&1; do
		[ $((++tries)) -lt 100 ] || break
		sleep 0.1
	done
	grep -E 'Protocol|Ciphersuite|Verification' brief
	printf 'GET / HTTP/1.0\r\n\r\n' | openssl s_client -quiet -connect "localhost:$PORT" \
		-CAfile certificate.pem 2>/dev/null | grep -c '^Ciphers'
	kill "$server"
	wait "$server" || echo "status $?"
	rm brief
}

# Numbers of processes.
filter() {
	sed -E 's/line [0-9]+: +[0-9]+ /line: /'
}
