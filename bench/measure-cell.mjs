// Measures one side of a cell: prints a line of JSON for each repetition. Started by run.mjs.
const [side, json] = process.argv.slice(2);
const { file, sides, warm, repetitions, ...options } = JSON.parse(json);
const [create] = Object.values(await import(`./sides/${sides?.[side] ?? side}.mjs`));
const [run] = Object.values(await import(`./workloads/${file}.mjs`));

for (const size of warm) await run(create, { ...options, size });
for (let count = 0; count < repetitions; count++) console.log(JSON.stringify(await run(create, options)));
// A deaf provider or a server would keep the process alive.
process.exit(0);
