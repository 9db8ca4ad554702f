// The effects under review, the commands that decide about them, and the options that ask for a review.
import {
  createAgentSession,
  defineTool,
  type AgentSession,
  type EnqueueOptions,
  type Interruption,
  type JsonValue,
  type PendingReview,
  type Phase,
  type Provider,
  type ReviewedEffect,
  type SendOptions,
  type TurnRecord,
  type UndoItem,
  type UndoReport,
} from '@banister/session';

declare const provider: Provider;

const session: AgentSession = createAgentSession({ provider });
const pending: PendingReview | null = session.pendingReview.value;
const [effect]: readonly ReviewedEffect[] = pending?.effects ?? [];
const change = effect?.changes[0];
export const shown: readonly (JsonValue | undefined)[] = [change?.description, change?.before, change?.after];
export const flags: readonly [string | undefined, true | undefined] = [effect?.conflict, effect?.lost];
export const reports: readonly Promise<UndoReport>[] = [
  session.accept(),
  session.reject(effect === undefined ? [] : [effect.toolCallId, ...effect.dependents]),
];
// @ts-expect-error -- a list of ids
void session.accept('call-1');

export const options: readonly (SendOptions & EnqueueOptions)[] = [
  { commit: 'review' },
  { commit: undefined },
];
// @ts-expect-error -- the only other way to commit is none
export const wrong: SendOptions = { commit: 'later' };
// @ts-expect-error -- a turn of `generate` has no effects
void createAgentSession({ provider }).generate('Hi', { type: 'object' }, { commit: 'review' });

export const phase: Phase = 'reviewing';
export const at: Interruption['at'] = 'review';
export const rejectedOf = ({ rejected }: TurnRecord): readonly UndoItem[] | undefined => rejected;

export const rename = defineTool({
  name: 'rename',
  description: 'Renames a card.',
  parameters: { type: 'object' },
  undo: { revert: (data: { readonly id: string }) => console.log(data.id) },
  async execute(_args, context) {
    await context.undo({ description: 'Renamed', data: { id: '1' }, before: 'A', after: { title: 'B' } });
    context.undo({ description: 'Closures too', revert: () => {}, before: undefined, after: [1] });
  },
});
