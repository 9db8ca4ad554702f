import type { JsonObject, Tool } from '@banister/session';
import { deferred } from './deferred.js';
import { anyArguments, type ToolDeclaration, type ToolRun } from './spy-tool.js';

/** A run of a {@link gatedTool}. It lasts until the test ends it. */
export interface GatedRun extends ToolRun {
  /** Whether the test has ended the run. */
  readonly settled: boolean;
  /** Ends the run with the executor's return value; nothing is a success. Only the first end counts. */
  settle(answer?: unknown): void;
  /** Ends the run with an error. */
  throw(error: unknown): void;
}

export interface GatedToolOptions extends ToolDeclaration {
  /** If true, a run throws when its signal aborts. Default false: it ignores the signal and lasts until the test ends it. */
  readonly heedsSignal?: boolean | undefined;
}

/** A tool whose runs the test ends. */
export interface GatedTool extends Tool {
  readonly runs: readonly GatedRun[];
  /** Resolves with the next run; each call returns a later run. A run that has already started counts. */
  next(): Promise<GatedRun>;
}

/**
 * A tool that starts and then waits for the test: to stop a turn in the middle of a tool, to answer late, or never to answer.
 *
 * @param name the name without its domain
 * @example
 * const slow = gatedTool('publish');
 * const session = createAgentSession({ provider, domains: [{ id: 'board', tools: [slow] }] });
 * void session.send('Publish the board');
 * const run = await slow.next();
 * console.log(session.phase.value); // 'executing'
 * run.settle('Published.');
 */
export function gatedTool(name: string, options: GatedToolOptions = {}): GatedTool {
  const {
    heedsSignal = false,
    description = `Test double ${name}.`,
    parameters = anyArguments,
    ...declaration
  } = options;
  const runs: GatedRun[] = [];
  const arrivals: ReturnType<typeof deferred<GatedRun>>[] = [];
  let asked = 0;
  /** The n-th run, even if it has not started yet. */
  const arrival = (position: number) => (arrivals[position] ??= deferred<GatedRun>());

  return {
    ...declaration,
    description,
    parameters,
    name,
    runs,
    next: () => arrival(asked++).promise,
    execute(args: JsonObject, context) {
      const end = deferred<unknown>();
      let settled = false;
      const run: GatedRun = {
        args,
        context,
        get settled() {
          return settled;
        },
        settle(answer) {
          settled = true;
          end.resolve(answer);
        },
        throw(error) {
          settled = true;
          end.reject(error);
        },
      };
      if (heedsSignal)
        context.signal.addEventListener('abort', () => run.throw(context.signal.reason), { once: true });
      arrival(runs.push(run) - 1).resolve(run);
      return end.promise;
    },
  };
}
