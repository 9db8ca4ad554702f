// One cell, one side: prints one line of JSON for each repetition. Started by run.mjs.
import { createFloor } from './sides/floor.mjs';
import { createHandrail } from './sides/handrail.mjs';

const [side, json] = process.argv.slice(2);
const { file, warm, repetitions, ...options } = JSON.parse(json);
const create = side === 'floor' ? createFloor : createHandrail;
const [run] = Object.values(await import(`./workloads/${file}.mjs`));

for (const size of warm) await run(create, { ...options, size });
for (let count = 0; count < repetitions; count++) console.log(JSON.stringify(await run(create, options)));
// A deaf provider would keep the process alive.
process.exit(0);
