%s/\v<(\w+) (\w+)>/\2 \1/ge
g/^\s*$/d
sort! n /\d\+/
let @q = "A!\<Esc>j"
normal! gg10@q
normal! ggyy5p
undo
redo
1,5join
set textwidth=60
normal! gggqG
let words = {}
for word in split(join(getline(1, '$')), '\W\+')
  let words[tolower(word)] = get(words, tolower(word), 0) + 1
endfor
let top = sort(items(words), {a, b -> b[1] == a[1] ? (a[0] < b[0] ? -1 : 1) : b[1] - a[1]})[:9]
call append('$', map(copy(top), 'printf("%5d %s", v:val[1], v:val[0])'))
call append('$', string([1 / 3, 1.0 / 3, 0x1f, strlen('äö'), strchars('äö'), matchstr('abc123', '\d\+')]))
try
  throw 'mine'
catch /mine/
  call append('$', 'caught ' . v:exception)
finally
  call append('$', 'finally')
endtry
call append('$', systemlist('echo from a shell | tr a-z A-Z'))
function! Fib(n)
  return a:n < 2 ? a:n : Fib(a:n - 1) + Fib(a:n - 2)
endfunction
call append('$', Fib(15))
set encoding=utf-8
write! edited
%!sort -u
write! sorted
qall!
