import type { Provider } from '@banister/provider';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gate, say, scriptedProvider, stall } from '@banister/testing';
import { relay } from '@banister/relay';
import { describe, expect, test, vi } from 'vitest';
import { startByteServer } from '../../../test/kit/byte-server.js';
import type { GatewayOptions, QuotaStore } from '../src/index.js';
import { readCommandLine } from '../src/command-line.js';
import { main } from '../src/command.js';
import { moduleAddress } from '../src/module-address.js';
import { runCommand } from '../src/run-command.js';
import { bodyOf, options, post, reading } from './ask.js';

/** Runs the command. */
async function run(args: readonly string[], env: Record<string, string> = {}, config?: unknown) {
  const said: string[] = [];
  const loaded: string[] = [];
  const running = await runCommand({
    args: [...args, ...(args.includes('--help') ? [] : ['--port', '0'])],
    env,
    say: (text) => void said.push(text),
    load: (file) => {
      loaded.push(file);
      return Promise.resolve(config);
    },
  });
  return {
    said,
    loaded,
    url: running?.url ?? '',
    close: (graceMs = 0) => running?.close(graceMs),
    async [Symbol.asyncDispose]() {
      await running?.close(0);
    },
  };
}

const key = { OPENAI_API_KEY: 'sk-canary-0123456789' };

describe('the command', () => {
  test('P7 says what is missing: `authorize` or `--open`, the key, or a part of an argument', async () => {
    const message = (args: readonly string[], env = {}, config?: unknown) =>
      run(args, env, config).then(
        () => 'it ran',
        (error: Error) => error.message,
      );
    expect(await message([], key)).toContain('Say who may use the key');
    expect(await message(['--open', '--config', 'a.mjs'], key)).toContain('Say who may use the key');
    expect(await message(['--open'])).toContain('There is no key. Set OPENAI_API_KEY');
    expect(await message(['--open', '--model', 'a=anthropic:m'], key)).toContain(
      'The model "a" needs ANTHROPIC_API_KEY',
    );
    expect(await message(['--open', '--model', 'gpt'], key)).toContain('is not of the form');
    expect(await message(['--opne'], key)).toContain('There is no argument "--opne"');
    expect(await message(['--open', '--model'], key)).toContain('--model needs a value');
    expect(await message(['--open', '--host', '0.0.0.0'], key)).toContain('this machine alone');
    expect(await message(['--config', 'a.mjs'], key, {})).toContain('no default export');
    expect(await message(['--config', 'a.mjs'], key, { default: {} })).toContain('needs authorize');
    expect(await message(['--open', '--port=x', '--help'])).toContain('--port must be a number');
  });

  test('prints its help', async () => {
    await using command = await run(['--help']);
    expect(command.said.join()).toContain('--config <file>');
  });

  test("P3 P6 `--open` serves the environment's key on the loopback address, and only the operator names the model's server", async () => {
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    await using upstream = await startByteServer({
      body: `${chunk({ content: 'Hi.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`,
    });
    await using command = await run(['--open', '--model', 'default=openai:my-model'], {
      ...key,
      OPENAI_BASE_URL: upstream.v1,
    });
    expect(command.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(command.url, post(bodyOf(), { 'x-base-url': 'http://evil.example' }));
    expect(await response.text()).toContain('"Hi."');
    expect(upstream.arrivals[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'my-model' } });
    expect(upstream.arrivals[0]?.headers['authorization']).toBe(`Bearer ${key.OPENAI_API_KEY}`);
    expect(command.said.join()).toContain(`relay('${command.url}')`);
    expect(command.said.join()).not.toContain('canary');
    expect((await fetch(command.url, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });

  test('ANTHROPIC_BASE_URL names another server, as OPENAI_BASE_URL does', async () => {
    await using upstream = await startByteServer({ status: 400, body: '{}' });
    await using command = await run(['--open', '--model', 'default=anthropic:my-model'], {
      ANTHROPIC_API_KEY: 'sk-ant-canary',
      ANTHROPIC_BASE_URL: upstream.url,
    });
    await (await fetch(command.url, post())).text();
    expect(upstream.arrivals[0]).toMatchObject({
      path: '/v1/messages',
      body: { model: 'my-model' },
      headers: { authorization: 'Bearer sk-ant-canary' },
    });
  });

  test('each key has its usual model; a server without a key needs none', async () => {
    await using command = await run(['--open'], { ...key, ANTHROPIC_API_KEY: 'sk-ant-0123456789' });
    expect((await relay(command.url).ready()).images).toBe(true);
    expect((await relay(command.url, { model: 'anthropic' }).ready()).maxTools).toBeUndefined();
    await using local = await run(['--open'], { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' });
    expect((await fetch(`${local.url}/health`)).status).toBe(200);
  });

  test('--config serves the options of a module to its users, beside the models and the origins of the arguments', async () => {
    const config: GatewayOptions = options({
      cors: ['https://own.example'],
      authorize: ({ headers }) => (headers.has('x-user') ? { user: 'u' } : null),
    });
    await using command = await run(
      ['--config', 'gateway.config.mjs', '--cors', 'https://app.example', '--model', 'smart=openai:my-model'],
      key,
      { default: config },
    );
    expect(command.loaded).toEqual(['gateway.config.mjs']);
    expect((await fetch(command.url, { headers: reading })).status).toBe(401);
    const known = { ...reading, 'x-user': '1' };
    const allowed = await fetch(command.url, { headers: { ...known, origin: 'https://app.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const own = await fetch(command.url, { headers: { ...known, origin: 'https://own.example' } });
    expect(own.headers.get('access-control-allow-origin')).toBe('https://own.example');
    for (const alias of ['default', 'smart'])
      expect((await fetch(`${command.url}?model=${alias}`, { headers: known })).status).toBe(200);
  });

  test('an empty PORT is ignored', () => {
    for (const env of [{ PORT: '' }, {}]) expect(readCommandLine(['--open'], env).port).toBe(8_787);
    expect(readCommandLine(['--open'], { PORT: '9000' }).port).toBe(9_000);
  });

  test('`--config` accepts a file in a folder with any name, and an absolute path', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'a #b?c%20d'));
    const file = path.join(folder, 'gateway.config.mjs');
    writeFileSync(file, 'export default {};');
    try {
      for (const given of ['gateway.config.mjs', './gateway.config.mjs', file])
        expect(fileURLToPath(await moduleAddress(given, folder))).toBe(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('`--config` with a missing file ends with its path, without a stack trace', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const exits: number[] = [];
    await main({
      argv: ['node', 'banister-gateway', '--config', 'no-such.config.mjs'],
      env: key,
      cwd: () => path.resolve('/no-such-folder'),
      on: () => {},
      exit: (status) => exits.push(status),
    });
    const place = path.resolve('/no-such-folder/no-such.config.mjs');
    expect(printed.mock.calls).toEqual([[`--config: there is no file ${place}.`]]);
    printed.mockRestore();
    expect(exits).toEqual([1]);
  });

  test('at its end, running answers may finish, and answers that take too long are cut', async () => {
    const config = (provider: Provider) => ({ default: options({ provider }) });
    const held = gate();
    const waiting = scriptedProvider([say(['Hi', held, ' there.'])], { validate: false });
    await using patient = await run(['--config', 'a'], {}, config(waiting));
    const answer = fetch(patient.url, post()).then((response) => response.text());
    await vi.waitFor(() => expect(waiting.streams[0]?.emitted).toBe(1), 30_000);
    const closing = patient.close(10_000);
    await expect(fetch(patient.url)).rejects.toThrow();
    held.open();
    expect(await answer).toContain('finish');
    await closing;

    const hanging = scriptedProvider([stall('Hm')], { validate: false });
    await using cut = await run(['--config', 'a'], {}, config(hanging));
    const reading = fetch(cut.url, post()).then((response) => response.text());
    reading.catch(() => {});
    await vi.waitFor(() => expect(hanging.streams[0]?.emitted).toBe(1), 30_000);
    await cut.close(0);
    await expect(reading).rejects.toThrow();
    await vi.waitFor(() => expect(hanging.streams[0]?.closed).toBe(true), 30_000);
  });

  test('at its end, it waits until answers are booked and reported', async () => {
    const [booked, reported] = [gate(), gate()];
    const ended: string[] = [];
    const quotas: QuotaStore = {
      reserve: () => ({ ok: true }),
      async settle() {
        await booked.pass();
        ended.push('booked');
      },
    };
    const onUsage = async () => {
      await reported.pass();
      ended.push('reported');
    };
    const given = { default: options({ quotas, onUsage }) };
    await using command = await run(['--config', 'a'], {}, given);
    await (await fetch(command.url, post())).text();
    const closing = Promise.resolve(command.close(10_000)).then(() => ended.push('closed'));
    await expect
      .poll(() =>
        fetch(command.url).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    booked.open();
    await new Promise(setImmediate);
    reported.open();
    await closing;
    expect(ended).toEqual(['booked', 'reported', 'closed']);
  });

  test.each([
    ['SIGINT', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGINT', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
  ] as const)(
    'a %s lets answers finish, and a %s after it ends the process at once',
    async (first, second, code) => {
      const log = vi.spyOn(console, 'log').mockImplementation(() => {});
      const signals = new EventEmitter();
      const exits: number[] = [];
      await main({
        argv: ['node', 'banister-gateway', '--open', '--port', '0'],
        env: key,
        cwd: () => '/',
        on: (signal, listener) => signals.on(signal, listener),
        exit: (status) => exits.push(status),
      });
      log.mockRestore();
      signals.emit(first);
      expect(exits).toEqual([]);
      signals.emit(second);
      expect(exits).toEqual([code]);
      await vi.waitFor(() => expect(exits).toEqual([code, 0]), 30_000);
    },
  );

  test('a port that is in use gives a readable message', async () => {
    await using first = await run(['--open'], key);
    const port = new URL(first.url).port;
    await expect(
      runCommand({
        args: ['--open', '--port', port],
        env: key,
        say: () => {},
        load: () => Promise.resolve({}),
      }),
    ).rejects.toThrow(`The port ${port} is in use`);
  });
});
