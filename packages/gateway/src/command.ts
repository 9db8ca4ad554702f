#!/usr/bin/env node
import { isAgentSessionError } from '@handrail/session/provider';
import { runCommand, type RunningCommand } from './run-command.js';

/** The parts of Node's `process` that the command uses. */
interface NodeProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): void;
  exit(code: number): never;
}

/** How long answers may go on when the command is told to end, in milliseconds. */
const GRACE_MS = 10_000;

const { process } = globalThis as unknown as { readonly process: NodeProcess };

const load = (file: string): Promise<unknown> => {
  const address = new URL(file, `file://${process.cwd()}/`).href;
  return import(/* @vite-ignore */ address);
};

function end(running: RunningCommand): void {
  const close = () => {
    // A second signal ends the process at once.
    process.once('SIGINT', () => process.exit(130));
    void running.close(GRACE_MS).then(() => process.exit(0));
  };
  process.once('SIGINT', close);
  process.once('SIGTERM', close);
}

try {
  const running = await runCommand({ args: process.argv.slice(2), env: process.env, say: console.log, load });
  if (running !== null) end(running);
} catch (error) {
  console.error(isAgentSessionError(error) ? error.message : error);
  process.exit(1);
}
