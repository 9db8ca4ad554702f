// The demo with a real model. The server of the page has the key.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startByteServer, type ByteServer, type Script } from '../../../../test/kit/byte-server.js';
import { expect, test } from '../fixture.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const canary = 'sk-canary-0123456789abcdefghijklmnopqrstuv';
const providers = 'Provider';

/** Returns an answer of the model's server, as lines of events. */
function events(words: readonly string[], isWhole = true): string {
  const base = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'gpt-5-mini' };
  const choice = (delta: object, finish_reason: string | null = null) => [{ index: 0, delta, finish_reason }];
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000, total_tokens: 1_001_000 };
  const chunks = [
    ...words.map((content) => ({ ...base, choices: choice({ content }) })),
    ...(isWhole
      ? [
          { ...base, choices: choice({}, 'stop') },
          { ...base, choices: [], usage },
        ]
      : []),
  ];
  const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return [...lines, ...(isWhole ? ['data: [DONE]\n\n'] : [])].join('');
}

function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Script {
  const body = JSON.stringify({ error: { message, type: 'error', code: null, param: null } });
  return { status, body, headers: { 'content-type': 'application/json', ...headers } };
}

/** Serves the bundle of the other tests, with a key whose model is `upstream`. */
async function serveWithKey(upstream: ByteServer): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const server: ChildProcess = spawn(process.execPath, ['scripts/serve-built.mjs', '--as-built'], {
    cwd: root,
    env: {
      ...process.env,
      PORT: String(port),
      OPENAI_API_KEY: canary,
      OPENAI_BASE_URL: upstream.v1,
      ANTHROPIC_API_KEY: '',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  // The gateway is a separate process and has to load. On a busy machine that takes longer than the usual 30
  // seconds.
  await expect
    .poll(
      () =>
        fetch(`${url}/agent/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 120_000 },
    )
    .toBe(true);
  return {
    url,
    async stop() {
      const exited = once(server, 'exit');
      server.kill();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

test('a key of the server serves the page and stays there; Stop ends the request to the model, and errors say what to do', async ({
  demo,
  page,
}) => {
  await using upstream = await startByteServer(
    { body: events(['Hello ', 'from a gateway.']) },
    { body: events(['It begins '], false), end: 'never' },
    refusal(429, 'Rate limit reached.', { 'retry-after': '3600' }),
    refusal(401, `Incorrect API key provided: ${canary}.`),
    { body: events(['Here again.']) },
  );
  const server = await serveWithKey(upstream);
  try {
    const bodies: Promise<string>[] = [];
    page.on('response', (response) => void bodies.push(response.text().catch(() => '')));
    await demo.goTo(`${server.url}/?pace=fast`);
    const chosen = page.getByRole('combobox', { name: providers }).getByRole('option', { selected: true });
    await expect(chosen).toHaveText('Gateway (gpt-5-mini)');

    await demo.ask('Hello?');
    const answers = demo.conversation.locator('.answer');
    await expect(answers.last()).toHaveText('Hello from a gateway.');
    expect(upstream.arrivals[0]!.headers['authorization']).toBe(`Bearer ${canary}`);
    await expect(demo.gauge).toBeVisible();
    await demo.button('How it works').click();
    const usage = page.getByRole('region', { name: 'Usage', exact: true });
    await expect(usage.getByRole('row', { name: 'input tokens' })).toContainText('1,000,000');
    await expect(usage.getByRole('row', { name: 'cost' })).toHaveText(/0\.\d+ USD/);
    await demo.button('Close').click();

    await demo.say('Go on');
    await expect(answers.last()).toContainText('It begins');
    await demo.stop.click();
    await demo.idle();
    expect(await upstream.arrivals[1]!.closed).toBe(true);

    await demo.ask('Once more');
    await expect(demo.turns.last().getByRole('alert')).toHaveText(
      'Too many requests at the moment. Try again in 60 min.',
    );
    await demo.ask('And now?');
    await expect(demo.turns.last().getByRole('alert')).toContainText('did not accept the key');
    await demo.grip.getByRole('button', { name: 'Try again' }).click();
    await expect(answers.last()).toHaveText('Here again.');
    await demo.idle();

    const all = await Promise.all(bodies);
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter((body) => body.includes(canary))).toEqual([]);
    const kept = await page.evaluate(
      () => document.documentElement.outerHTML + JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    );
    expect(kept).not.toContain(canary);
  } finally {
    await server.stop();
  }
  await demo.ask('Is anyone there?');
  await expect(demo.turns.last().getByRole('alert')).toContainText('Check that npm start still runs');
  demo.errors.splice(0);
});

test('a server without a key offers no gateway', async ({ demo, page }) => {
  await demo.open();
  await expect(page.getByRole('combobox', { name: providers })).toHaveValue('offline');
  await expect(page.getByRole('option', { name: /Gateway/ })).toHaveCount(0);
});
