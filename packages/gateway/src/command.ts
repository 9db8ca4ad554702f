import { isAgentSessionError } from '@banister/provider';
import { moduleAddress } from './module-address.js';
import { runCommand, type RunningCommand } from './run-command.js';

// The entry `@banister/gateway/command`: the command of the package as a function.
export {
  modelsOf,
  providerOf,
  readModel,
  type Environment,
  type NamedModel,
  type Vendor,
} from './named-models.js';

/** The parts of Node's `process` that the command uses. */
export interface NodeProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  exit(code: number): unknown;
}

/** How long running answers may continue after a signal, in milliseconds. */
const GRACE_MS = 10_000;

/**
 * Runs the command `banister-gateway` with the arguments and the environment of a process. It serves until a signal: running answers then
 * get ten seconds. A second signal, of either kind, ends the process at once.
 *
 * @example
 * if (import.meta.main) await main(process);
 */
export async function main(process: NodeProcess): Promise<void> {
  const load = async (file: string): Promise<unknown> =>
    import(/* @vite-ignore */ await moduleAddress(file, process.cwd()));
  try {
    const say = (text: string) => console.log(text);
    const running = await runCommand({ args: process.argv.slice(2), env: process.env, say, load });
    if (running !== null) endWith(process, running);
  } catch (error) {
    console.error(isAgentSessionError(error) ? error.message : error);
    process.exit(1);
  }
}

function endWith(process: NodeProcess, running: RunningCommand): void {
  let isEnding = false;
  const endBy = (code: number) => () => {
    if (isEnding) return void process.exit(code);
    isEnding = true;
    void running.close(GRACE_MS).then(() => process.exit(0));
  };
  // The exit code of shells: 128 plus the number of the signal.
  process.on('SIGINT', endBy(130));
  process.on('SIGTERM', endBy(143));
}
