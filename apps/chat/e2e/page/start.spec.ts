import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from '../fixture.js';

const start = path.join(fileURLToPath(new URL('../../../..', import.meta.url)), 'scripts', 'start.mjs');
let server: ChildProcess;
let url: string;

// As `npm start` serves it: from the sources, with dependencies that are bundled as they are found.
test.beforeAll(async () => {
  test.info().setTimeout(120_000);
  // A test before this one may have bundled for production, which sets NODE_ENV.
  const { NODE_ENV: _, ...env } = process.env;
  server = spawn(process.execPath, [start], {
    env: {
      ...env,
      PORT: '',
      OPENAI_API_KEY: '',
      OPENAI_BASE_URL: '',
      ANTHROPIC_API_KEY: '',
      HANDRAIL_MODELS: '',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  url = await new Promise((resolve, reject) => {
    server.stdout!.once('data', (line: Buffer) => resolve(line.toString().trim()));
    server.once('exit', () => reject(new Error('The demo could not be served.')));
  });
});

test.afterAll(() => server.kill());

test('the page is never loaded anew, not even at the first tool call', async ({ demo }) => {
  await demo.goTo(`${url}?pace=fast`);
  await demo.ask('Add "Plan" to Todo');
  await demo.say('Delete "Draw the logo"');
  await demo.approval(demo.confirmation('board.delete_card')).click();
  await demo.idle();
  // The fixture counts page loads.
});
