import {
  conflict,
  defineDomain,
  denied,
  failed,
  stop,
  success,
  type Domain,
  type JsonObject,
  type Tool,
  type ToolContext,
} from '@banister/session';
import { Board, type StepFaults } from './board.js';

/** How a run of a tool ends. */
export type RunEnding =
  'done' | 'picture' | 'nothing' | 'failed' | 'denied' | 'conflict' | 'throw' | 'stop' | 'unusable';

/** One run of a tool, which lasts until the schedule ends it. */
export interface BoardRun {
  readonly domain: Domain;
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: ToolContext;
  /** Whether the schedule has ended it, or its signal has. */
  readonly settled: boolean;
  /** Whether its call was cut before it ended. */
  readonly cut: boolean;
  end(ending: RunEnding): void;
}

/** The tools of a board. Their arguments decide how they behave. */
export const boardTools = ['write', 'look', 'mail', 'publish', 'announce'] as const;

const parameters = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    title: { type: 'string' },
    /** The tool acts at once, not when it ends. */
    early: { type: 'boolean' },
    /** The tool does not end when its signal fires. */
    deaf: { type: 'boolean' },
    /** The tool writes twice to the same place. */
    twice: { type: 'boolean' },
    /** The tool answers `conflict` where the board is not at the revision that the model knows. */
    careful: { type: 'boolean' },
  },
  required: ['place', 'title'],
  additionalProperties: false,
} as const;

export interface BoardDomain {
  readonly domain: Domain;
  readonly board: Board;
  readonly runs: readonly BoardRun[];
}

/**
 * @param revisionOf the domain's revision, from the number of changes of its board
 * @param started called with each run before its first effect
 */
export function createBoardDomain(
  id: string,
  faults: StepFaults,
  revisionOf: (changes: number) => string | number,
  started: (run: BoardRun) => void,
): BoardDomain {
  const board = new Board(faults);
  const revision = () => revisionOf(board.revision);
  const runs: BoardRun[] = [];

  const tool = (name: string, act: Act | null, more: Partial<Tool> = {}): Tool => ({
    name,
    description: `${name} of the board`,
    parameters,
    ...more,
    execute: (args: JsonObject, context) =>
      new Promise<unknown>((resolve, reject) => {
        let acted = false;
        const actOnce = () => {
          if (!acted) act?.(board, args, context);
          acted = true;
        };
        let settled = false;
        let cut = false;
        const run: BoardRun = {
          domain,
          tool: `${id}.${name}`,
          args,
          context,
          get settled() {
            return settled;
          },
          get cut() {
            return cut;
          },
          end(ending) {
            if (settled) return;
            settled = true;
            cut = context.signal.aborted;
            if (acting.includes(ending)) actOnce();
            if (ending === 'throw') reject(new Error('The board broke.'));
            else resolve(answers[ending]());
          },
        };
        if (args.deaf !== true)
          context.signal.addEventListener('abort', () => run.end('throw'), { once: true });
        runs.push(run);
        started(run);
        if (args.careful === true && context.revision !== revision()) {
          settled = true;
          resolve(conflict(String(context.revision), revision()));
        } else if (args.early === true) actOnce();
      }),
  });

  const domain: Domain = defineDomain({
    id,
    tools: [
      tool('write', write),
      tool('look', null, { capabilities: ['readOnly'] }),
      // An early letter is noted at once, since a tool that fails afterwards reports no effect.
      tool('mail', (theBoard, args, context) => {
        theBoard.send(context.callId);
        if (args.early === true) context.irreversible('Sent a letter');
      }),
      tool(
        'publish',
        (theBoard, _args, context) => {
          theBoard.send(context.callId);
          context.irreversible('Published the board');
        },
        { irreversible: true, capabilities: ['networking', 'paid'] },
      ),
      tool('announce', (theBoard, args, context) => {
        write(theBoard, args, context);
        theBoard.send(context.callId);
        context.irreversible('Announced it');
      }),
    ],
    revision,
  });
  return { domain, board, runs };
}

/** Endings of a tool that did its work. */
const acting: readonly RunEnding[] = ['done', 'picture', 'stop', 'unusable'];

type Act = (board: Board, args: JsonObject, context: ToolContext) => void;

const write: Act = (board, { place, title, twice }, context) => {
  if (twice === true) {
    const first = board.write(context.callId, String(place), 'first');
    context.undo({ description: 'Wrote first', ...first });
  }
  const step = board.write(context.callId, String(place), String(title));
  context.undo({ description: `Wrote "${String(title)}"`, ...step });
};

const answers: { readonly [E in Exclude<RunEnding, 'throw'>]: () => unknown } = {
  done: () => success({ done: true }),
  picture: () => success('A picture.', { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }),
  nothing: () => undefined,
  failed: () => failed('The board is full.'),
  denied: () => denied('Not on Sundays.'),
  conflict: () => conflict(1, 2),
  stop: () => stop('Enough.'),
  // A tool that did its work and returns a value that JSON cannot hold.
  unusable: () => ({ count: 1n }),
};
