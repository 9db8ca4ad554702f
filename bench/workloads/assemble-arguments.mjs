import assert from 'node:assert/strict';
import { argumentFragments } from '../inputs/argument-fragments.mjs';
import { argumentModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';

const parameters = {
  type: 'object',
  properties: { title: { type: 'string' }, items: { type: 'array', items: { type: 'object' } } },
  required: ['title', 'items'],
};

/** W2: one tool call whose arguments come in `size` fragments, and a reader that looks at the parsed arguments so far. */
export async function assembleArguments(create, { size, scheduler }) {
  const { json, fragments } = argumentFragments(size);
  let ran;
  const execute = async (args) => {
    ran = args;
    return { items: args.items.length };
  };
  const model = argumentModel('bench.big', fragments);
  const session = create({ model, tools: { 'bench.big': { parameters, execute } }, scheduler });
  let views = 0;
  let mostItems = 0;
  const dispose = session.watch(() => {
    const view = session.arguments();
    if (view === undefined) return;
    views++;
    mostItems = Math.max(mostItems, view.items?.length ?? 0);
  });
  const { cpuUs } = await measured(() => session.send('Hello'));
  dispose();
  assert.equal(JSON.stringify(ran), json);
  assert.equal(session.text(), 'done');
  assert.equal(mostItems, ran.items.length);
  assert(views >= fragments.length, `${views} views of ${fragments.length} fragments`);
  return { cpuPerFragment: cpuUs / fragments.length };
}
