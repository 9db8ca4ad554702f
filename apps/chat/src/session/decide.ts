import type { Cues } from './cues.js';
import type { Review, ReviewedChange } from './review.js';

/** Decides about one change, and focuses the next change. */
export async function decide(
  { open, keep, takeBack }: Review,
  { toolCallId, title, conflict }: ReviewedChange,
  decision: 'keep' | 'takeBack',
  cues: Pick<Cues, 'focus' | 'say'>,
): Promise<void> {
  const before = open.peek()?.map((change) => change.toolCallId) ?? [];
  const at = before.indexOf(toolCallId);
  await (decision === 'keep' ? keep : takeBack)([toolCallId]);
  const left = open.peek() ?? [];
  const same = left.find((change) => change.toolCallId === toolCallId);
  if (same) {
    cues.say(same.conflict ?? conflict ?? '');
    return;
  }
  const ids = left.map((change) => change.toolCallId);
  const next = before.slice(at + 1).find((id) => ids.includes(id)) ?? ids.at(-1);
  cues.focus(...(next === undefined ? [] : [`keep:${next}`]), 'message');
  const done = decision === 'keep' ? `Kept: ${title}` : `Taken back: ${title}`;
  cues.say(left.length === 0 ? done : `${done}. ${left.length} to review`);
}
