# The help of tare report has each view that there is, once.
diff <(tare help --completion=bash | sed -n "/^	report)/,/;;/s/.* words='\([a-z ]*\)'.*/\1/p" | tr ' ' '\n' | sort) \
	<(tare report --help | sed -n '/ Views:$/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | sort)
