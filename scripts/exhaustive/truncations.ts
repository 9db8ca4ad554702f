import { hasEvidence } from './evidence.js';
import { createBodyPlayer, type PlayedTurn } from './played-turn.js';
import type { Recording } from './recording.js';
import { count, type Tally } from './tally.js';

/** Bodies up to this size are cut after every byte, longer bodies only around every event. */
const SHORT = 8 * 1024;

/** Returns the positions at which a body is cut. */
export function cutsOf({ body }: Recording): readonly number[] {
  if (body.length <= SHORT) return Array.from({ length: body.length }, (_, at) => at);
  const ends = [...body.toString('latin1').matchAll(/\n\r?\n/g)].map(
    ({ index, 0: end }) => index + end.length,
  );
  return [...new Set(ends.flatMap((end) => [end - 1, end, end + 1]))].filter((at) => at < body.length);
}

/** Plays a recording cut at these positions, and checks that each turn matches the bytes that arrived. */
export async function checkCuts(recording: Recording, cuts: readonly number[], tally: Tally): Promise<void> {
  const { name, api, body } = recording;
  const player = await createBodyPlayer(api, body);
  const whole = await player.play(body);
  for (const cut of cuts) {
    const bytes = body.subarray(0, cut);
    const where = `${name} cut after ${cut} of ${body.length} bytes`;
    try {
      const turn = await player.play(bytes);
      count(tally, where, [...turn.problems, ...cutProblems(turn, whole, hasEvidence(bytes, api))]);
    } catch (error) {
      count(tally, where, [`throws ${String(error)}`]);
    }
  }
}

function cutProblems(turn: PlayedTurn, whole: PlayedTurn, isProven: boolean): readonly string[] {
  const { status, code, text, thinking, executed } = turn;
  const isDone = status === 'completed' || status === 'stopped';
  const facts: Readonly<Record<string, boolean>> = {
    [`${status} without evidence`]: isDone && !isProven,
    [`${status} (${code}) in spite of evidence`]: !isDone && isProven && whole.status !== 'failed',
    [`failed as ${code}, not as interrupted`]:
      status === 'failed' && code !== 'interrupted' && whole.status !== 'failed',
    [`runs ${executed.join(', ')} without evidence`]: executed.length > 0 && !isProven,
    [`runs ${executed.join(', ')}, which the whole answer does not`]: executed.some(
      (call) => !whole.executed.includes(call),
    ),
    'its text is no prefix': !whole.text.startsWith(text),
    'its thinking is no prefix': !whole.thinking.startsWith(thinking),
  };
  return Object.keys(facts).filter((fact) => facts[fact] === true);
}
