// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { compileModule } from 'svelte/compiler';

const dist = new URL('../.cache/bench/node_modules/@banister/stores/dist/', import.meta.url);

/** Compiles the modules with runes for a page, as Svelte's plugin does in an app: the built adapter, and a state. */
export function buildRunes() {
  compile('runes', readFileSync(new URL('runes.svelte.js', dist), 'utf8'));
  compile('state-of', 'export function stateOf(fields) { const state = $state(fields); return state; }');
}

/**
 * @param {string} name
 * @param {string} source
 */
function compile(name, source) {
  const { js } = compileModule(source, { filename: `${name}.svelte.js`, generate: 'client' });
  writeFileSync(new URL(`${name}.client.js`, dist), js.code);
}
