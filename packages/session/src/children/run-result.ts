import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { ChildTurn } from '../conversation/turn-record.js';
import type { AnyRunResult } from '../tools/run.js';

/** Returns the result of a child turn that has ended, without its output. */
export function resultOf(child: ChildTurn): AnyRunResult {
  const { id, outcome, usage, effects } = child;
  const { status, rounds, stop, error, report } = outcome!;
  const more = defined({ stop, error, report });
  return { id, status, text: textOf(child), output: undefined, usage, rounds, effects, ...more };
}

/** Returns the text of the last round that has text. */
function textOf({ rounds }: ChildTurn): string {
  const texts = rounds.map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );
  return texts.findLast((text) => text.trim() !== '') ?? '';
}

/** Returns the result of a run that did not begin, because its turn has reached a limit of child turns. */
export function failedResult(code: 'max-depth' | 'max-children', limit: number): AnyRunResult {
  const message =
    code === 'max-depth'
      ? 'An agent may not run another agent here.'
      : `The turn has run ${limit} agents, which is its limit.`;
  const error = new AgentSessionError(code, message, { details: { limit } }).toJSON();
  return {
    id: '',
    status: 'failed',
    text: '',
    output: undefined,
    usage: null,
    rounds: 0,
    effects: [],
    error,
  };
}
