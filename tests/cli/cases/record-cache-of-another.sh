need_root
mkdir "$XDG_CACHE_HOME"
mkdir "$XDG_CACHE_HOME/tare"
chown nobody "$XDG_CACHE_HOME/tare"
tare record true
status=$?
tare record -q --no-cache true && ls
exit $status
