import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startByteServer } from '../../../../test/kit/byte-server.js';
import { expect, test } from '../fixture.js';

const start = path.join(fileURLToPath(new URL('../../../..', import.meta.url)), 'scripts', 'start.mjs');
const withoutKey = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', ANTHROPIC_API_KEY: '', BANISTER_MODELS: '' };

interface StartedDemo {
  readonly url: string;
  /** Everything that the process has printed. */
  printed(): string;
  /** Ends the process, and resolves to its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts the demo as `npm start` does: from the sources, with dependencies that are bundled when they are
 * found.
 */
async function startDemo(variables: Readonly<Record<string, string>>): Promise<StartedDemo> {
  // An earlier test may have bundled for production, which sets NODE_ENV.
  const { NODE_ENV: _, ...env } = process.env;
  const server: ChildProcess = spawn(process.execPath, [start], {
    env: { ...env, PORT: '', ...withoutKey, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const output of [server.stdout!, server.stderr!])
    output.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout!.once('data', (line: Buffer) => resolve(line.toString().trim()));
    server.once('exit', () => reject(new Error(`The demo could not be served. ${printed}`)));
  });
  return {
    url,
    printed: () => printed,
    async stop() {
      const exited = once(server, 'exit') as Promise<[number | null]>;
      server.kill();
      return (await exited)[0];
    },
  };
}

// One after another, because two servers would bundle into the same folder.
test.describe.configure({ mode: 'serial' });

test('the page never reloads, not even at the first tool call', async ({ demo }) => {
  const server = await startDemo({});
  try {
    await demo.goTo(`${server.url}?pace=fast`);
    await demo.ask('Add "Plan" to Todo');
    await demo.say('Delete "Draw the logo"');
    await demo.approval(demo.confirmation('board.delete_card')).click();
    await demo.idle();
    // The fixture counts page loads.
  } finally {
    await server.stop();
  }
});

test('with a key in its environment the script serves a real model, and never prints or serves the key', async ({
  demo,
  page,
}) => {
  const canary = 'sk-canary-0123456789abcdefghijklmnopqrstuv';
  const choice = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  await using upstream = await startByteServer({
    body: `${choice({ content: 'Hello from the script.' }, null)}${choice({}, 'stop')}data: [DONE]\n\n`,
  });
  const server = await startDemo({
    OPENAI_API_KEY: canary,
    OPENAI_BASE_URL: upstream.v1,
    BANISTER_MODELS: 'default=openai:my-model',
  });
  try {
    const bodies: Promise<string>[] = [];
    page.on('response', (response) => void bodies.push(response.text().catch(() => '')));
    await demo.goTo(`${server.url}?pace=fast`);
    const chosen = page.getByRole('combobox', { name: 'Provider' }).getByRole('option', { selected: true });
    await expect(chosen).toHaveText('Gateway (my-model)');
    await demo.ask('Hello?');
    await expect(demo.conversation.locator('.answer').last()).toHaveText('Hello from the script.');
    expect(upstream.arrivals[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'my-model' } });
    expect(upstream.arrivals[0]!.headers['authorization']).toBe(`Bearer ${canary}`);

    // A page of another origin gets no answer, and the server gives no file outside of the sources.
    for (const [header, value] of Object.entries({ origin: 'https://evil.example', host: 'evil.example' }))
      expect((await page.request.get(`${server.url}agent`, { headers: { [header]: value } })).status()).toBe(
        403,
      );
    for (const query of ['', '?raw', '?import&raw', '?import&raw??', '?url', '?inline&import'])
      bodies.push(page.request.get(`${server.url}@fs/proc/self/environ${query}`).then((file) => file.text()));

    const all = await Promise.all(bodies);
    expect(all.length).toBeGreaterThan(50);
    expect([...all, server.printed()].filter((text) => text.includes(canary))).toEqual([]);
    expect(server.printed()).toContain('Gateway: default = my-model');
  } finally {
    expect(await server.stop()).toBe(0);
  }
});
