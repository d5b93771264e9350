# ffmpeg and ImageMagick: encoders, decoders, filters.
# programs: ffmpeg convert
# version: ffmpeg -version

run() {
	local codec
	for codec in mpeg4 ffv1 libx264 libvpx; do
		ffmpeg -nostdin -v error -f lavfi -i testsrc=size=160x120:rate=10:duration=1 -threads 2 \
			-fflags +bitexact -flags +bitexact -c:v "$codec" -f framemd5 - | md5sum
	done
	for codec in flac aac libmp3lame libvorbis; do
		ffmpeg -nostdin -v error -f lavfi -i sine=frequency=440:duration=1 -fflags +bitexact \
			-flags +bitexact -c:a "$codec" -f framemd5 - | md5sum
	done
	ffmpeg -nostdin -v error -f lavfi -i testsrc=size=160x120:rate=10:duration=1 \
		-vf 'scale=320:240,hue=s=0,boxblur=2,rotate=0.3' -pix_fmt rgb24 -f rawvideo - | md5sum
	convert -size 120x90 plasma:red-blue -seed 7 -blur 2 -resize 200% plain.ppm 2>/dev/null || true
	convert rose: -resize 300% -rotate 17 -sharpen 0x1 -colorspace Gray -quality 80 rose.jpg
	convert rose: -edge 2 -negate -define png:exclude-chunks=date,time rose.png
	convert rose.png rose.jpg +append -depth 8 rgb:- | md5sum
	identify -format '%m %wx%h %k\n' rose.png rose.jpg
	rm -f plain.ppm rose.png
}
