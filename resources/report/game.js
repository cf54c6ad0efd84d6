(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  // The namespace of SVG, taken from the page so that no address stands here.
  const space = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;
  const positions = data.positions;
  let ply = positions.length - 1;
  const svg = (name, attributes, text) => {
    const element = document.createElementNS(space, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const at = (name) => [name.charCodeAt(0) - 97, Number(name[1]) - 1];
  const draw = () => {
    const here = positions[ply];
    const picture = svg("svg", { viewBox: "-24 -24 512 512", "font-family": "system-ui, sans-serif", "text-anchor": "middle" });
    picture.append(svg("rect", { x: 0, y: 0, width: 480, height: 480, fill: "var(--board)", stroke: "var(--grid)", "stroke-width": 3 }));
    for (let i = 0; i < 8; i++) {
      picture.append(svg("line", { x1: i * 60, y1: 0, x2: i * 60, y2: 480, stroke: "var(--grid)" }));
      picture.append(svg("line", { x1: 0, y1: i * 60, x2: 480, y2: i * 60, stroke: "var(--grid)" }));
      picture.append(svg("text", { x: i * 60 + 30, y: -7, fill: "currentColor", "font-size": 16 }, "abcdefgh"[i]));
      picture.append(svg("text", { x: -13, y: i * 60 + 36, fill: "currentColor", "font-size": 16 }, i + 1));
    }
    [...here.board].forEach((cell, i) => {
      if (cell === "-") return;
      const white = cell === "O";
      picture.append(svg("circle", { cx: (i % 8) * 60 + 30, cy: Math.floor(i / 8) * 60 + 30, r: 25, fill: white ? "#fcfcfc" : "#101010", stroke: "#111" }));
    });
    if (here.last && here.last !== "pass") {
      const [x, y] = at(here.last);
      picture.append(svg("circle", { cx: x * 60 + 30, cy: y * 60 + 30, r: 7, fill: "#d62f2f", stroke: "#fff" }));
    }
    const top = here.moves.length ? here.moves[0][1] : null;
    here.moves.forEach(([name, value]) => {
      if (name === "pass") return;
      const [x, y] = at(name);
      const best = value === top;
      if (best) picture.append(svg("rect", { x: x * 60 + 4, y: y * 60 + 4, width: 52, height: 52, fill: "#bfe3ff", stroke: "#08306b", "stroke-width": 3 }));
      picture.append(svg("text", { x: x * 60 + 30, y: y * 60 + 37, fill: best ? "#08306b" : "#071a10", "font-size": 18, "font-weight": best ? 700 : 400 }, value));
    });
    const japanese = document.documentElement.lang === "ja";
    const opening = (here.opening && here.opening[japanese ? 1 : 0]) || (here.opening && here.opening[0]) || "";
    const words = {
      en: { side: ["black to move", "white to move", "game over"], value: "value", loss: "loss", hard: (side, loss) => `hard for ${["black", "white"][side]} here: people lose ${loss}` },
      ja: { side: ["黒番", "白番", "終局"], value: "評価値", loss: "石損", hard: (side, loss) => `${["黒", "白"][side]}には難しい局面（人間は平均 ${loss} 石損）` },
      zh: { side: ["轮到黑方", "轮到白方", "终局"], value: "估值", loss: "损失", hard: (side, loss) => `对${["黑方", "白方"][side]}很难的局面（人平均损失 ${loss} 子）` },
    }[document.documentElement.lang];
    const count = (c) => here.board.split(c).length - 1;
    const parts = [`${here.name} ●${count("X")} ○${count("O")}`, words.side[here.side === null ? 2 : here.side]];
    if (here.value !== null) parts.push(`${words.value} ${here.value}`);
    if (here.loss) parts.push(`${words.loss} ${here.loss}`);
    if (here.difficulty >= 2) parts.push(words.hard(here.side, here.difficulty));
    if (opening) parts.push(opening);
    const text = parts.join(" · ");
    document.getElementById("now").textContent = text;
    const board = document.getElementById("board");
    board.setAttribute("aria-label", text);
    board.replaceChildren(picture);
    document.querySelectorAll("#moves tr").forEach((row) => row.classList.toggle("now", row.dataset.go === String(ply)));
    document.querySelectorAll("svg.graph").forEach((graph, i) => {
      graph.querySelector(".cursor")?.remove();
      const x = data.graphs[i][ply];
      const height = graph.viewBox.baseVal.height;
      graph.append(svg("line", { class: "cursor", x1: x, x2: x, y1: 40, y2: height - 46 }));
    });
  };
  const go = (to) => { ply = Math.max(0, Math.min(positions.length - 1, to)); draw(); };
  const keys = { ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), Home: () => go(0), End: () => go(positions.length - 1) };
  document.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  const buttons = { first: () => go(0), back: () => go(ply - 1), forward: () => go(ply + 1), last: () => go(positions.length - 1) };
  Object.entries(buttons).forEach(([id, act]) => document.getElementById(id).addEventListener("click", act));
  document.querySelectorAll("[data-go]").forEach((element) => {
    element.addEventListener("click", (event) => { event.preventDefault(); go(Number(element.dataset.go)); });
  });
  document.querySelectorAll("svg.graph").forEach((graph, i) => {
    graph.addEventListener("click", (event) => {
      const box = graph.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * graph.viewBox.baseVal.width;
      const places = data.graphs[i];
      let nearest = 0;
      places.forEach((place, n) => { if (Math.abs(place - x) < Math.abs(places[nearest] - x)) nearest = n; });
      go(nearest);
    });
  });
  document.addEventListener("language", draw);
  draw();
})();
