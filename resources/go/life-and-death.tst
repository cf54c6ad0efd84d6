# Life and death, races and fights on 7x7, each inside walls that live for sure. The answers were found by reading
# every line to its end; the komi lies between success and failure, so that a win needs the right move.
shirokuro-set rules chinese

# nakade 1
boardsize 7
komi 41.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 B B3 B C3 B D3 B E3 B G3 W A2 W B2 W C2 W D2 B E2 B F2 B G2 W D1 B E1 B G1
1 reg_genmove b
#? [B1]

# nakade 2
boardsize 7
komi 41.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 B C3 B D3 B F3 W B2 W C2 B D2 B E2 B F2 B G2 W C1 B D1 B F1
2 reg_genmove b
#? [A1]

# nakade 3
boardsize 7
komi 36.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 W D3 B E3 B F3 W A2 W B2 W D2 W E2 B F2 B G2 W A1 W E1 B F1
3 reg_genmove b
#? [C1]

# nakade 4
boardsize 7
komi 38.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 B D3 B E3 B G3 W C2 W D2 B E2 B F2 B G2 W D1 B E1 B G1
4 reg_genmove b
#? [B1]

# nakade 5
boardsize 7
komi 27.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 W B5 W C5 W D5 B E5 B F5 W A4 W B4 W D4 W E4 B F4 B G4 W A3 W E3 B F3 W A2 W B2 W D2 W E2 B F2 B G2 W A1 W B1 W C1 W D1 B E1 B F1
5 reg_genmove b
#? [C3]

# nakade 6
boardsize 7
komi 31.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B D5 B E5 B G5 B A4 W B4 W C4 W D4 B E4 B F4 B G4 W A3 W B3 W D3 W E3 B F3 W A2 W E2 B F2 B G2 W A1 W D1 W E1 B F1
6 reg_genmove b
#? [C2]

# life 1
boardsize 7
komi 41.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 B B3 B C3 B D3 B E3 B G3 W A2 W B2 W C2 W D2 B E2 B F2 B G2 W D1 B E1 B G1
7 reg_genmove w
#? [B1]

# life 2
boardsize 7
komi 41.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 B C3 B D3 B F3 W B2 W C2 B D2 B E2 B F2 B G2 W C1 B D1 B F1
8 reg_genmove w
#? [A1]

# life 3
boardsize 7
komi 36.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 W D3 B E3 B F3 W A2 W B2 W D2 W E2 B F2 B G2 W A1 W E1 B F1
9 reg_genmove w
#? [C1]

# life 4
boardsize 7
komi 38.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 B D3 B E3 B G3 W C2 W D2 B E2 B F2 B G2 W D1 B E1 B G1
10 reg_genmove w
#? [B1]

# life 5
boardsize 7
komi 27.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 W B5 W C5 W D5 B E5 B F5 W A4 W B4 W D4 W E4 B F4 B G4 W A3 W E3 B F3 W A2 W B2 W D2 W E2 B F2 B G2 W A1 W B1 W C1 W D1 B E1 B F1
11 reg_genmove w
#? [C3]

# life 6
boardsize 7
komi 31.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B D5 B E5 B G5 B A4 W B4 W C4 W D4 B E4 B F4 B G4 W A3 W B3 W D3 W E3 B F3 W A2 W E2 B F2 B G2 W A1 W D1 W E1 B F1
12 reg_genmove w
#? [C1|B2|C2]

# life 7
boardsize 7
komi 34.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 W D3 B E3 B F3 W E2 B F2 B G2 W F1 B G1
13 reg_genmove w
#? [D2]

# life 8
boardsize 7
komi 34.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B E5 B G5 W B4 B C4 B D4 B E4 B F4 B G4 W B3 W C3 W D3 B E3 B F3 W E2 B F2 B G2 W D1 B E1 B F1
14 reg_genmove w
#? [D2]

# life 9
boardsize 7
komi 30.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 W B5 B C5 B D5 B E5 B G5 W A4 W C4 W D4 B E4 B F4 B G4 W E3 B F3 W E2 B F2 B G2 W A1 W B1 W C1 W D1 B E1 B F1
15 reg_genmove w
#? [B4]

# life 10
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 W D3 W E3 B F3 B G3 W A2 W F2 B G2 W A1 W F1 B G1
16 reg_genmove w
#? [C1]

# life 11
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 B D5 B E5 B F5 B A4 B B4 B C4 W D4 W E4 B F4 B G4 B A3 B B3 W C3 B D3 W F3 B G3 B A2 B B2 W C2 W F2 B G2 W A1 W D1 W F1 B G1
17 reg_genmove w
#? [E3]

# life 12
boardsize 7
komi 35.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 W A5 B B5 B C5 B E5 B G5 W B4 B C4 B D4 B E4 B F4 B G4 W B3 W C3 B D3 B E3 B G3 W D2 B E2 B F2 B G2 W D1 B E1 B G1
18 reg_genmove w
#? [B1]

# life 13
boardsize 7
komi 32.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 W A5 W B5 W C5 B D5 B E5 B G5 W D4 B E4 B F4 B G4 W A3 W D3 B E3 B G3 W A2 W C2 B D2 B E2 B F2 B G2 W A1 B B1 B D1 B E1 B G1
19 reg_genmove w
#? [C3]

# life 14
boardsize 7
komi 31.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 W D5 B E5 B F5 B A4 B B4 W C4 W E4 B F4 B G4 B A3 B B3 W C3 W F3 B G3 B A2 W B2 W F2 B G2 B A1 W B1 W F1 B G1
20 reg_genmove w
#? [E3]

# life 15
boardsize 7
komi 31.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 B D5 W E5 B F5 B G5 B A4 B B4 B C4 W D4 W F4 B G4 B A3 B B3 W C3 W D3 W F3 B G3 B A2 W B2 B D2 W F2 B G2 B A1 W B1 W F1 B G1
21 reg_genmove w
#? [C2]

# life 16
boardsize 7
komi 35.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B D5 B F5 B A4 W B4 W C4 B D4 B E4 B F4 B G4 W A3 W D3 B E3 B G3 W D2 B E2 B F2 B G2 B E1 B F1
22 reg_genmove w
#? [B2]

# life 17
boardsize 7
komi 30.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 W D5 W E5 B F5 B G5 B A4 B B4 W C4 B D4 W F4 B G4 B B3 W C3 W F3 B G3 B A2 B B2 W C2 W F2 B G2 B A1 W B1 W F1 B G1
23 reg_genmove w
#? [E4]

# life 18
boardsize 7
komi 31.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 W C5 B D5 B E5 B G5 B A4 W B4 W D4 B E4 B F4 B G4 B A3 W B3 W E3 B F3 B G3 B A2 W B2 W F2 B G2 B A1 W B1 W C1 W F1 B G1
24 reg_genmove w
#? [D2]

# life 19
boardsize 7
komi 34.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 W A5 B B5 B C5 B D5 B F5 W B4 W C4 B D4 B E4 B F4 B G4 W B3 W D3 B E3 B G3 W C2 B D2 B E2 B F2 B G2 W C1 W D1 B E1 B G1
25 reg_genmove w
#? [A2]

# life 20
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 B D5 B E5 B F5 B A4 B B4 B C4 W D4 W E4 B F4 B G4 B A3 B B3 W C3 W F3 B G3 B A2 W B2 W F2 B G2 B A1 W B1 W F1 B G1
26 reg_genmove w
#? [D2]

# kill 1
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 W D3 W E3 B F3 B G3 W F2 B G2 W E1 B F1 B G1
27 reg_genmove b
#? [E2]

# kill 2
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 W D3 W E3 B F3 B G3 W A2 W F2 B G2 W A1 W D1 W F1 B G1
28 reg_genmove b
#? [E2]

# kill 3
boardsize 7
komi 31.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B E5 B G5 W A4 W B4 B C4 B D4 B E4 B F4 B G4 W C3 W D3 W E3 B F3 B G3 B A2 W E2 W F2 B G2 B A1 W C1 W D1 W E1 B F1 B G1
29 reg_genmove b
#? [B3]

# kill 4
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 W D3 W E3 B F3 B G3 W A2 W F2 B G2 W F1 B G1
30 reg_genmove b
#? [B2]

# kill 5
boardsize 7
komi 31.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B E5 B G5 W A4 W B4 B C4 B D4 B E4 B F4 B G4 W C3 W D3 W E3 B F3 B G3 W F2 B G2 W C1 W D1 W E1 B F1 B G1
31 reg_genmove b
#? [A2]

# kill 6
boardsize 7
komi 32.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 W D5 B E5 B F5 B A4 B B4 W C4 W E4 B F4 B G4 B A3 B B3 W C3 W E3 B F3 W A2 W B2 W E2 B F2 B G2 B B1 W E1 B F1
32 reg_genmove b
#? [C2]

# kill 7
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 W D3 W E3 B F3 B G3 W A2 W B2 W F2 B G2 B C1 B D1 W F1 B G1
33 reg_genmove b
#? [E2]

# snapback 1
boardsize 7
komi 1.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B B5 B D5 W E5 W G5 B A4 B B4 B C4 B D4 W E4 W F4 W G4 B A3 B B3 B C3 B D3 W E3 W G3 B A2 W B2 W C2 B D2 W E2 W F2 W G2 B A1 W D1 W E1 W G1
34 reg_genmove b
#? [C1]

# snapback 2
boardsize 7
komi 5.5
gogui-setup B B7 B D7 B E7 W F7 B A6 B B6 B C6 B D6 B E6 W F6 W G6 B B5 B D5 B E5 W F5 B A4 B B4 B C4 B D4 B E4 W F4 W G4 B A3 W B3 W C3 B D3 W E3 W F3 B A2 W B2 B C2 W D2 W E2 W F2 W G2 B A1 W D1 W F1
35 reg_genmove b
#? [B1]

# snapback 3
boardsize 7
komi 1.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B B5 B D5 W E5 W G5 B A4 B B4 B C4 B D4 W E4 W F4 W G4 B A3 B B3 B C3 B D3 W E3 W G3 B A2 W B2 W C2 B D2 W E2 W F2 W G2 B A1 W D1 W E1 W G1
36 reg_genmove w
#? [C1]

# snapback 4
boardsize 7
komi 38.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 B D3 B E3 B G3 W C2 W D2 B E2 B F2 B G2 B A1 W B1 W C1 W D1 B E1 B G1
37 reg_genmove b
#? [A2]

# snapback 5
boardsize 7
komi 36.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 W D3 B E3 B F3 B B2 B C2 W D2 W E2 B F2 B G2 W B1 W C1 W D1 B E1 B F1
38 reg_genmove b
#? [A2]

# ladder 1
boardsize 7
komi -2.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B A5 B B5 W E5 W G5 B A4 B C4 W E4 W F4 W G4 B A3 B B3 W E3 W G3 B A2 W B2 W C2 W E2 W F2 W G2 B A1 B B1 B C1 B D1 W E1 W G1
39 reg_genmove b
#? [D2]

# ladder 2
boardsize 7
komi -4.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B A5 W B5 W C5 W E5 W G5 B A4 B C4 W E4 W F4 W G4 B A3 B C3 W E3 W G3 B A2 W E2 W F2 W G2 B A1 B B1 B C1 B D1 W E1 W G1
40 reg_genmove b
#? [D5]

# ladder 3
boardsize 7
komi -3.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B A5 W B5 W C5 W E5 W G5 B A4 W B4 B C4 W E4 W F4 W G4 B A3 W E3 W G3 B A2 B B2 W E2 W F2 W G2 B A1 B B1 B C1 B D1 W E1 W G1
41 reg_genmove b
#? [D5]

# ladder 4
boardsize 7
komi -3.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B A5 B C5 W E5 W G5 B A4 W E4 W F4 W G4 B A3 B C3 W E3 W G3 B A2 W B2 W C2 W E2 W F2 W G2 B A1 B B1 B C1 B D1 W E1 W G1
42 reg_genmove b
#? [D2]

# ladder 5
boardsize 7
komi -3.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B A5 W B5 W C5 W E5 W G5 B A4 W B4 W E4 W F4 W G4 B A3 B B3 W E3 W G3 B A2 W E2 W F2 W G2 B A1 B B1 B C1 B D1 W E1 W G1
43 reg_genmove b
#? [D5]

# ladder 6
boardsize 7
komi -1.5
gogui-setup B B7 B D7 W E7 W G7 B A6 B B6 B C6 B D6 W E6 W F6 W G6 B A5 B D5 W E5 W G5 B A4 B B4 W E4 W F4 W G4 B A3 W B3 W C3 W E3 W G3 B A2 W B2 B C2 W E2 W F2 W G2 B A1 B B1 B C1 B D1 W E1 W G1
44 reg_genmove b
#? [D3]

# ko 1
boardsize 7
komi 35.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B D5 B F5 W A4 W B4 W C4 B D4 B E4 B F4 B G4 W B3 W C3 W D3 B E3 B G3 B A2 W B2 W D2 B E2 B F2 B G2 B B1 W C1 B D1 B E1 B G1
45 reg_genmove b
#? [C2]

# ko 2
boardsize 7
komi 35.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 B D3 B E3 B F3 B B2 W C2 W D2 W E2 B F2 B G2 B A1 B B1 W D1 W F1 B G1
46 reg_genmove b
#? [E1]

# ko 3
boardsize 7
komi 36.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 W D3 B E3 B F3 B B2 W C2 W E2 B F2 B G2 B B1 W C1 W D1 B E1 B F1
47 reg_genmove b
#? [D2]

# ko 4
boardsize 7
komi 40.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 B D3 B E3 B G3 W A2 W B2 W D2 B E2 B F2 B G2 W B1 W C1 B D1 B E1 B G1
48 reg_genmove b
#? [C2]

# seki 1
boardsize 7
komi 18.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 B D5 B E5 B F5 B A4 B B4 B C4 W D4 W E4 B F4 B G4 B A3 B B3 W C3 W E3 W F3 B G3 W A2 W B2 W C2 W F2 B G2 B C1 B D1 W F1 B G1
49 reg_genmove b
#? [D2]

# seki 2
boardsize 7
komi 13.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 W A5 W B5 W C5 W D5 W E5 B F5 B G5 B B4 B C4 B E4 W F4 B G4 W A3 B C3 W F3 B G3 B A2 W B2 W C2 W D2 W E2 B F2 B G2 B A1 B B1 B C1 B D1 B E1 B F1
50 reg_genmove w
#? [D4]

# seki 3
boardsize 7
komi 17.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B E5 B F5 B A4 B B4 B C4 B D4 W E4 B F4 B G4 B A3 W B3 W C3 W D3 W F3 B G3 W A2 W B2 B C2 B D2 W F2 B G2 W A1 W E1 W F1 B G1
51 reg_genmove w
#? [E3]

# seki 4
boardsize 7
komi 17.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 B D5 W E5 B F5 B G5 B A4 B B4 W C4 W D4 W F4 B G4 B A3 B B3 B E3 W F3 B G3 B A2 W B2 W C2 B E2 W F2 B G2 B A1 B B1 W C1 W D1 W F1 B G1
52 reg_genmove w
#? [E4]

# seki 5
boardsize 7
komi 25.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 B D5 B E5 B G5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 W B3 W C3 W E3 B F3 W A2 W B2 B C2 W E2 B F2 B G2 W A1 B C1 B D1 W E1 B F1
53 reg_genmove w
#? [D3]

# race 1
boardsize 7
komi 38.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 B A3 B B3 B C3 W D3 B E3 B F3 W A2 W B2 W C2 W E2 B F2 B G2 B B1 B C1 B D1 W E1 B F1
54 reg_genmove b
#? [D2]

# race 2
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B C5 W D5 B E5 B F5 B A4 B B4 W C4 W E4 B F4 B G4 B A3 W B3 B C3 W D3 W E3 B F3 B A2 W B2 B D2 W E2 B F2 B G2 B A1 W B1 B D1 W E1 B F1
55 reg_genmove b
#? [D4]

# race 3
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 W D3 W E3 B F3 B G3 B C2 W D2 W F2 B G2 B A1 B C1 W D1 W E1 B F1 B G1
56 reg_genmove b
#? [B2]

# race 4
boardsize 7
komi 33.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 W A5 B B5 B C5 B E5 B G5 W B4 B C4 B D4 B E4 B F4 B G4 W B3 W C3 W D3 B E3 B F3 W B2 W E2 B F2 B G2 B A1 B B1 W D1 B E1 B F1
57 reg_genmove b
#? [D2]

# race 5
boardsize 7
komi 30.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B A5 B B5 B C5 B D5 B E5 B F5 W A4 W B4 W C4 W D4 W E4 B F4 B G4 W A3 W B3 B C3 B D3 B F3 B B2 B C2 W D2 W E2 B F2 B G2 W B1 W C1 W D1 B E1 B F1
58 reg_genmove w
#? [E3]

# race 6
boardsize 7
komi 34.5
gogui-setup B B7 B D7 B F7 B A6 B B6 B C6 B D6 B E6 B F6 B G6 B B5 B D5 B F5 B A4 B B4 B C4 B D4 B E4 B F4 B G4 W A3 W B3 W C3 W D3 W E3 B F3 W A2 B B2 B C2 B D2 W E2 B F2 B G2 W A1 B B1 W E1 B F1
59 reg_genmove b
#? [D1]
