# Bare chroots of Debian releases. Sourced by the checks of packages, which set:
#   chroots   the directory they are kept in: RELEASE as debootstrap makes it, and copies of it to try things in
# Debian's packages come from MIRROR, else from where this system has its own.

mirror_of_debian() {
	local mirror
	mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Label: Debian' | head -n 1)}
	[ -n "$mirror" ] || { echo "$0: set MIRROR to a mirror of Debian" >&2; exit 1; }
	echo "$mirror"
}

need_chroots() {
	[ "$(id -u)" = 0 ] || { echo "$0: chroots need root" >&2; exit 1; }
	command -v debootstrap >/dev/null || { echo "$0: needs the package debootstrap" >&2; exit 1; }
	mirror=$(mirror_of_debian)
	mkdir -p "$chroots"
}

# RELEASE as it is installed with nothing but what a release cannot do without.
bare_chroot() { # RELEASE
	[ -e "$chroots/$1/etc/debian_version" ] && return
	rm -rf "$chroots/$1.new"
	debootstrap --variant=minbase "$1" "$chroots/$1.new" "$mirror" >"$chroots/$1.log" 2>&1 ||
		{ tail -n 5 "$chroots/$1.log" >&2; exit 1; }
	mv "$chroots/$1.new" "$chroots/$1"
}

copy_of_chroot() { # RELEASE NAME
	bare_chroot "$1"
	rm -rf "${chroots:?}/$2"
	cp -a --reflink=auto "$chroots/$1" "$chroots/$2"
	cp /etc/resolv.conf "$chroots/$2/etc/resolv.conf"
}

# A command in a chroot, with processes and mounts of its own that end with it.
in_chroot() { # NAME COMMAND…
	local root=$chroots/$1
	shift
	unshare --mount --pid --fork --kill-child bash -c '
		mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" &&
		exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@" </dev/null
}
