% Unification, backtracking, cuts, exceptions, assertions, strings, big numbers.
:- initialization(main, main).
nrev([], []).
nrev([H|T], R) :- nrev(T, RT), append(RT, [H], R).
queens(N, Qs) :- numlist(1, N, Ns), place(Ns, [], Qs).
place([], Qs, Qs).
place(Left, Safe, Qs) :- select(Q, Left, Rest), \+ attack(Q, 1, Safe), place(Rest, [Q|Safe], Qs).
attack(X, N, [Y|_]) :- ( X is Y + N ; X is Y - N ).
attack(X, N, [_|Ys]) :- N1 is N + 1, attack(X, N1, Ys).
:- dynamic fact/2.
deep(0) :- throw(deep(7)).
deep(N) :- N1 is N - 1, deep(N1), true.
main(_) :-
	numlist(1, 120, L), nrev(L, R), sum_list(R, Sum), R = [First|_],
	queens(8, Qs), format("~w ~w ~w~n", [Sum, First, Qs]),
	catch(deep(50), deep(X), format("caught ~w~n", [X])),
	forall(between(1, 500, I), ( K is I mod 17, assertz(fact(K, I)) )),
	aggregate_all(count, fact(3, _), Count), findall(V, fact(5, V), Vs), sum_list(Vs, VSum),
	format("~w ~w~n", [Count, VSum]),
	F is 2 ** 200 mod 1000007, format("~w~n", [F]),
	atom_codes(A, "hello"), atom_length(A, Length), string_concat(A, " there", S), format("~w ~w~n", [Length, S]),
	msort([c, a, b], M), format("~w~n", [M]),
	( member(Y, [1, 2, 3]), Y > 1, ! -> format("~w~n", [Y]) ; true ),
	halt(3).
