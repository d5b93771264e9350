# Debian's own tools, C++ and C: dpkg, apt, and what they run.
# partial: was killed$
# programs: dpkg-deb dpkg-query apt-cache apt-config
# version: apt-cache --version

prepare() {
	mkdir -p tree/DEBIAN tree/usr/share/doc/sample
	printf '%s\n' 'Package: sample' 'Version: 1.0' 'Architecture: all' 'Maintainer: A <a@x>' \
		'Description: sample' >tree/DEBIAN/control
	seq 1 5000 >tree/usr/share/doc/sample/numbers
}

run() {
	SOURCE_DATE_EPOCH=1600000000 dpkg-deb --root-owner-group -Zxz -b "$DATA/tree" sample.deb
	dpkg-deb -I sample.deb
	dpkg-deb -c sample.deb | cut -c 1-40
	dpkg-deb -x sample.deb out
	dpkg-query -W -f '${Package} ${Status}\n' | md5sum
	dpkg --compare-versions 1.0~rc1 lt 1.0 && echo less
	dpkg -S /bin/bash
	dpkg -L bash | md5sum
	apt-config dump | md5sum
	apt-cache policy bash | head -n 3
	apt-cache depends --installed bash
	rm sample.deb
}

filter() {
	sed -E 's/[0-9]+ bytes/N bytes/'
}
