need_root
mkdir "$XDG_CACHE_HOME"
mkdir "$XDG_CACHE_HOME/tare"
chown nobody "$XDG_CACHE_HOME/tare"
tare record true
status=$?
chown root "$XDG_CACHE_HOME/tare"
mkdir elsewhere
ln -s "$PWD/elsewhere" "$XDG_CACHE_HOME/tare/files"
tare record true
rm "$XDG_CACHE_HOME/tare/files"
mkdir "$XDG_CACHE_HOME/tare/files"
chown nobody "$XDG_CACHE_HOME/tare/files"
tare record true
tare record -q --no-cache true && ls . elsewhere
exit $status
