% Prost 2006 in SWI-Prolog's Constraint Handling Rules: generate assignments, then test them. Facts as in tree.lp.
%
% exact: every assignment over every span is generated, as in phase 2, then tested; of the candidates over a span the
% best of each construction and chain depth is elected. Finds the optimum.
% pruned: the same, but what no construction covers (H3) is not extended. Finds the optimum.
% greedy: after each round only the one best combination over the input is seen in the next, as is the paper's practice.

:- use_module(library(chr)).
:- use_module(library(yall)).
:- use_module(library(time)).
:- dynamic tokens/1, word/2, form/1, covers/2, root/1, fragment/1, limit/1, alt/2.
:- dynamic pruning/0, obl/3, uniq/4, lin/5, adj/5, req/4, exc/5.

:- chr_constraint con(+int, +int, +any, +int, +int), best(+int, +int, +any, +int), asg(+int, +int, +any, +int),
                  span(+int, +int), visible(+int, +int, +any, +int), single(+int, +int, +any, +int).

% Polling Booth: the best candidate of a construction over a span and at a depth.
con(S, E, X, D, K) \ con(S, E, X, D, K2) <=> K =< K2 | true.
con(S, E, X, D, K2) \ con(S, E, X, D, K) <=> K2 =< K | true.
best(S, E, X, K) \ best(S, E, X, K2) <=> K =< K2 | true.
best(S, E, X, K2) \ best(S, E, X, K) <=> K2 =< K | true.

% Assignation: an assignment and one constituent more, daughters last first. 
span(S, E), asg(S, M, L, K), best(M, E, C, K2) ==> allowed([C|L]) | K3 is K+K2, asg(S, E, [C|L], K3).
visible(M, E, C, K2), asg(S, M, L, K) ==> allowed([C|L]) | K3 is K+K2, asg(S, E, [C|L], K3).
visible(S, E, C, K), single(S, E, C, K) ==> asg(S, E, [C], K).
asg(S, E, [A,B|L], K) ==> candidates([A,B|L], K, S, E, 1).
asg(S, E, [C], K), single(S, E, C, _) ==> candidates([C], K, S, E, 0).

% Formation: each construction that covers the assignment, if one of its properties holds (H4).
candidates(Last, K, S, E, D) :-
    reverse(Last, L),
    findall(X-W, (form(X), L \= [X], all_covered(X, L), held(X, L), violations(X, L, W)), Built),
    offer(Built, S, E, D, K).
offer([], _, _, _, _).
offer([X-W|More], S, E, D, K) :- K2 is K+W, con(S, E, X, D, K2), offer(More, S, E, D, K).

allowed(L) :- ( pruning -> covered(L) ; true ).
covered(L) :- form(X), all_covered(X, L), !.
all_covered(X, L) :- \+ (member(C, L), \+ covers(X, C)).

% Satisfaction: the relations.
violations(X, L, W) :- findall(W1, violated(X, L, W1), Ws), sum_list(Ws, W).
violated(X, L, W) :- obl(I, X, W), \+ present(I, L).
violated(X, L, W) :- uniq(_, X, B, W), several(B, L), member(B, L).
violated(X, L, W) :- req(I, X, B, W), memberchk(B, L), \+ present(I, L), member(B, L).
violated(X, L, W) :- lin(_, X, B, C, W), before(C, B, L).
violated(X, L, W) :- exc(_, X, B, C, W), ( before(B, C, L) ; before(C, B, L) ).
violated(X, L, W) :- adj(_, X, B, C, W), ( apart(B, C, L) ; apart(C, B, L) ).
held(X, L) :- uniq(_, X, B, _), memberchk(B, L), \+ several(B, L), !.
held(X, L) :- req(I, X, B, _), memberchk(B, L), present(I, L), !.
held(X, L) :- lin(_, X, B, C, _), before(B, C, L), !.
held(X, L) :- adj(_, X, B, C, _), ( append(_, [B,C|_], L) ; append(_, [C,B|_], L) ), !.

present(I, L) :- alt(I, C), memberchk(C, L), !.
several(B, L) :- before(B, B, L), !.
before(B, C, L) :- append(_, [B|After], L), member(C, After).
apart(B, C, L) :- append(_, [B,_|After], L), member(C, After).

% exact: spans by their length, over each the unary chains, then what longer ones may use.
pruned(Cost) :- assertz(pruning), exact(Cost).
exact(Cost) :-
    tokens(N),
    findall(P-C, word(P, C), Words),
    words(Words),
    findall(S-E, (between(1, N, Size), Last is N-Size, between(0, Last, S), E is S+Size), Spans),
    spans(Spans),
    findall(i(S, E, C, K, new), find_chr_constraint(best(S, E, C, K)), Items),
    combination(N, Items, Cost, _).
words([]).
words([P-C|More]) :- Q is P+1, con(P, Q, C, 0, 0), words(More).
spans([]).
spans([S-E|More]) :-
    ( E-S > 1 -> span(S, E) ; true ),
    limit(Most),
    chains(0, Most, S, E),
    findall(C-K, find_chr_constraint(con(S, E, C, _, K)), Found),
    elect(Found, S, E),
    findall(C-K, find_chr_constraint(best(S, E, C, K)), Elected),
    start(Elected, S, E),
    spans(More).
chains(Most, Most, _, _) :- !.
chains(D, Most, S, E) :-
    D1 is D+1,
    findall(C-K, find_chr_constraint(con(S, E, C, D, K)), Found),
    above(Found, S, E, D1),
    chains(D1, Most, S, E).
above([], _, _, _).
above([C-K|More], S, E, D) :- candidates([C], K, S, E, D), above(More, S, E, D).
elect([], _, _).
elect([C-K|More], S, E) :- best(S, E, C, K), elect(More, S, E).
start([], _, _).
start([C-K|More], S, E) :- ( allowed([C]) -> asg(S, E, [C], K) ; true ), start(More, S, E).

% greedy: a round sees what the last one elected, and must put something new into its combination.
greedy(Cost) :-
    assertz(pruning),
    tokens(N),
    findall(i(P, Q, C, 0, old), (word(P, C), Q is P+1), Words),
    combination_old(N, Words, First),
    rounds(30, N, Words, First, Cost).
rounds(0, _, _, Cost, Cost) :- !.
rounds(Left, N, Seen, Before, Cost) :-
    built(Seen, New),
    append(Seen, New, Items),
    (   New \= [], combination(N, Items, After, Elected), After =< Before
    ->  Left1 is Left-1, rounds(Left1, N, Elected, After, Cost)
    ;   Cost = Before
    ).
built(Seen, New) :-
    findall(Found, (see(Seen), findall(i(S, E, X, K, new), find_chr_constraint(con(S, E, X, _, K)), Found)), [All]),
    exclude([i(S, E, X, _, _)]>>memberchk(i(S, E, X, _, _), Seen), All, New).
see(Seen) :- predsort([O, A, B]>>(A = i(S1, _, _, _, _), B = i(S2, _, _, _, _), compare(O1, S1, S2),
                                  ( O1 = (=) -> compare(O, A, B) ; O = O1 )), Seen, Sorted), tell(Sorted).
tell([]).
tell([i(S, E, C, K, _)|More]) :- single(S, E, C, K), visible(S, E, C, K), tell(More).

% The best combination over the input (H5), one new constituent in it at least: paths from the end.
combination(N, Items, Cost, Elected) :-
    paths(N, N, Items, [p(N, no, 0, [])], Paths),
    ( member(i(0, N, R, K, new), Items), root(R), \+ (member(i(0, N, R2, K2, new), Items), root(R2), K2 < K) -> Whole = K ; Whole = inf ),
    ( memberchk(p(0, yes, Parts, Path), Paths) -> true ; Parts = inf, Path = [] ),
    least(Whole, Parts, R, N, Path, Cost, Elected).
least(Whole, Parts, R, N, _, Whole, [i(0, N, R, Whole, old)]) :- Whole \== inf, ( Parts == inf ; Whole =< Parts ), !.
least(_, Parts, _, _, Path, Parts, Old) :- Parts \== inf, maplist([i(S, E, C, K, _), i(S, E, C, K, old)]>>true, Path, Old).
paths(0, _, _, Paths, Paths) :- !.
paths(Q, N, Items, Done, Paths) :-
    P is Q-1, fragment(F),
    findall(K2-p(P, Flag2, K2, [i(P, E, C, K, New)|Path]),
            ( member(i(P, E, C, K, New), Items), member(p(E, Flag, Below, Path), Done), K2 is K+F+Below,
              ( New == new -> Flag2 = yes ; Flag2 = Flag ) ), Found),
    keysort(Found, Sorted),
    findall(Best, ( member(Flag, [yes, no]), once(( member(_-Best, Sorted), Best = p(_, Flag, _, _) )) ), Bests),
    append(Bests, Done, More),
    paths(P, N, Items, More, Paths).
combination_old(N, Words, Cost) :- fragment(F), Cost is N*F, Words = [_|_].

% One line of output: the cost and the milliseconds of CPU time.
run(Facts, Goal, Seconds) :-
    read_file_to_terms(Facts, Terms, []),
    maplist(assertz, Terms),
    statistics(cputime, Before),
    catch(call_with_time_limit(Seconds, call(Goal, Cost)), Error, ( out_of_reach(Error), Cost = none )),
    statistics(cputime, After),
    Milliseconds is (After-Before)*1000,
    format("~w ~3f~n", [Cost, Milliseconds]).

out_of_reach(time_limit_exceeded).
out_of_reach(error(resource_error(_), _)).
