// Attaches the program as Sabaki does, plays, takes back, analyses, and ends the analysis with the next command.
const assert = require('assert')
const {Controller} = require('@sabaki/gtp')

const send = async (engine, line) => {
  const [name, ...args] = line.split(' ')
  const response = await engine.sendCommand({name, args})
  assert(!response.error, `${line}: ${response.content}`)
  return response.content
}

const main = async () => {
  const engine = new Controller(process.argv[2], ['gtp', '--game', 'go', '--threads', '1', '--set', 'playouts=100'])
  engine.start()
  assert.strictEqual(await send(engine, 'name'), 'Shirokuro')
  await send(engine, 'version')
  assert.strictEqual(await send(engine, 'protocol_version'), '2')
  const commands = (await send(engine, 'list_commands')).split('\n')
  for (const name of ['lz-analyze', 'kata-analyze']) assert(commands.includes(name), name)
  for (const line of ['boardsize 9', 'clear_board', 'komi 7.5', 'play B E5']) await send(engine, line)
  assert.match(await send(engine, 'genmove W'), /^([A-HJ][1-9]|pass|resign)$/)
  await send(engine, 'undo')

  // An analysis answers line by line, until something else is asked.
  let lines = 0
  const analysis = engine.sendCommand({name: 'lz-analyze', args: ['W', '10']}, ({line}) => {
    if (line.startsWith('info move ')) lines++
  })
  while (lines < 3) await new Promise(resolve => setTimeout(resolve, 20))
  await send(engine, 'name')
  assert(!(await analysis).error)
  const bad = await engine.sendCommand({name: 'play', args: ['W', 'E5']})
  assert(bad.error && bad.content === 'illegal move', bad.content)
  await send(engine, 'quit')
  await engine.stop()
  console.log(`@sabaki/gtp: a game and an analysis of ${lines} lines`)
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
