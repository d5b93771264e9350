# Where copies could not run, it is the place that is wrong, and not the program: nothing is sampled instead.
unshare --map-root-user --mount true 2>/dev/null || skip "no mounts of its own can be made"
mkdir "$XDG_CACHE_HOME"
# shellcheck disable=SC2016
exec unshare --map-root-user --mount sh -c '
	mount -t tmpfs -o noexec tmpfs "$XDG_CACHE_HOME" || exit
	"$TARE" record "$PROGRAMS/plain_program"
	status=$?
	ls
	exit $status'
