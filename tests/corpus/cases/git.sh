# git on a repository with merges, renames and tags: history, rebase, blame, gc, fsck, clone.
# programs: git
# version: git --version
# partial: was killed$
# set: quick

prepare() {
	export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@x
	local i
	git init -q -b main repository
	cd repository
	for ((i = 0; i < 60; i++)); do
		export GIT_AUTHOR_DATE="$((1600000000 + i * 1000)) +0000"
		export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
		seq $((i * 7)) $((i * 9 + 300)) >"file$((i % 7))"
		echo "change $i of $((i * 7919 % 101))" >>log
		case $((i % 20)) in
		5) git checkout -q -b "topic$i" ;;
		9) git mv "file$((i % 7))" "moved$i" ;;
		12)
			git add -A
			git commit -q -m "topic work $i"
			git checkout -q main
			echo "side $i" >"side$i"
			git add -A
			git commit -q -m "side $i"
			git merge -q --no-edit -m "merge $i" "topic$((i - 7))"
			git tag -a -m "tag $i" "v$i"
			continue
			;;
		esac
		git add -A
		git commit -q -m "commit $i

with a body about ${RANDOM:+line} $((i * 31))"
	done
}

run() {
	export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@x
	export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000' GIT_PAGER=cat
	git clone -q "$DATA/repository" work
	cd work
	git log --graph --oneline --decorate --all
	git log -p --stat -M | md5sum
	git log --format='%H %an %ad %s' --since=2020-09-13T20:00Z -- log | tail -n 5
	git log -S 'change 40' --oneline
	git rev-list --objects --all | wc -l
	git blame -s log | tail -n 20
	git grep -n -E 'change (1|2)[0-9]' v12 -- log
	git show --stat v32
	git describe --always --tags
	git diff v12 v32 --shortstat --word-diff | head -n 20
	git shortlog -sn HEAD
	git checkout -q -b feature v32
	for n in 1 2 3; do
		echo "feature $n" >>new
		git add new
		git commit -q -m "feature $n"
	done
	git rebase -q main
	git log --oneline -4
	git checkout -q -b conflict HEAD~2
	echo other >>new
	git commit -q -a -m other
	git merge feature || echo "status $?"
	git status --short
	git checkout -q --theirs new
	git add new
	git commit -q -m resolved
	git cherry-pick -x feature~1 || echo "status $?"
	git cherry-pick --abort
	git stash list
	echo dirty >>log
	git stash -q
	git stash show -p
	git stash pop -q
	git checkout -q log
	git bisect start -q main v12
	git bisect run sh -c '! grep -q "change 30" log' | tail -n 12
	git bisect reset 2>&1
	git format-patch -q -2 -o patches feature
	git archive --format=tar v12 | md5sum
	git bundle create -q all.bundle --all
	git bundle verify -q all.bundle
	git -c pack.threads=2 gc -q --aggressive --prune=now
	git fsck --full --strict
	git count-objects -v | grep -E '^(in-pack|packs)'
	git verify-pack -s .git/objects/pack/*.idx
	git submodule status
	git config --list --local | sort
	git remote -v | sed 's, .*/data/, data/,'
	git nonsense || echo "status $?"
	cd ..
	git clone -q --bare --depth 3 "file://$PWD/work" shallow.git
	git -C shallow.git log --oneline --all
	rm -rf work shallow.git
}

filter() {
	sed -E 's/\t.*\/data\/repository/\tREPOSITORY/'
}
