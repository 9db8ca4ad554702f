import {
  conflict,
  contentRevision,
  defineTool,
  type Domain,
  type ToolOutcome,
  type LocalAgentSession,
} from '@banister/session';
import { settle } from '@banister/testing';

/** The change of one field, as the tool records it. */
interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A form with named fields. `set` names the path of its field, `setAll` names none, `print` cannot be taken back. */
export function createForm(fields: Record<string, string> = {}) {
  const put = ({ field }: FieldChange, from: string | null, to: string | null): ToolOutcome | undefined => {
    const now = fields[field] ?? null;
    // Written ahead, or taken back before.
    if (now === to) return undefined;
    if (now !== from) return conflict(String(from), String(now));
    if (to === null) delete fields[field];
    else fields[field] = to;
    return undefined;
  };
  const undo = {
    revert: (change: FieldChange) => put(change, change.after, change.before),
    reapply: (change: FieldChange) => put(change, change.before, change.after),
  };
  const parameters = {
    type: 'object',
    properties: { field: { type: 'string' }, value: { type: 'string' } },
    required: ['field', 'value'],
  } as const;
  const set = defineTool({
    name: 'set',
    description: 'Sets a field.',
    parameters,
    undo,
    async execute({ field, value }, context) {
      const data = { field, before: fields[field] ?? null, after: value };
      const { before, after } = data;
      await context.undo({ description: `${field}: ${value}`, data, paths: [field], before, after });
      fields[field] = value;
    },
  });
  const setAll = defineTool({
    name: 'setAll',
    description: 'Sets a field, and names no path.',
    parameters,
    undo,
    async execute({ field, value }, context) {
      const data = { field, before: fields[field] ?? null, after: value };
      await context.undo({ description: `${field}: ${value}`, data });
      fields[field] = value;
    },
  });
  const paint = defineTool({
    name: 'paint',
    description: 'Sets a field, taken back by a closure.',
    parameters,
    execute({ field, value }, context) {
      const data = { field, before: fields[field] ?? null, after: value };
      fields[field] = value;
      context.undo({
        description: `${field}: ${value}`,
        paths: [field],
        revert: () => undo.revert(data),
        reapply: () => undo.reapply(data),
      });
    },
  });
  const print = defineTool({
    name: 'print',
    description: 'Prints the form.',
    parameters: { type: 'object' },
    irreversible: true,
    execute: (_args, context) => context.irreversible('Printed'),
  });
  const domain = (): Domain => ({
    id: 'form',
    tools: [set, setAll, paint, print],
    revision: contentRevision(() => fields),
  });
  return { fields, domain };
}

/** A call of a tool of the form. */
export const call = (tool: 'set' | 'setAll' | 'paint', field: string, value: string) => ({
  tool: `form.${tool}`,
  args: { field, value },
});
export const print = { tool: 'form.print', args: {} };

/** The descriptions of the effects without a decision. */
export const openEffects = ({ pendingReview }: LocalAgentSession): readonly string[] =>
  (pendingReview.value?.effects ?? []).map(({ description }) => description);

/** The ids of the open effects with these descriptions. */
export const idsOf = (
  { pendingReview }: LocalAgentSession,
  ...descriptions: readonly string[]
): readonly string[] =>
  (pendingReview.value?.effects ?? []).flatMap(({ description, toolCallId }) =>
    descriptions.includes(description) ? [toolCallId] : [],
  );

/** Sends a message under review, and resolves when the review is open, or the turn has ended. */
export async function sendForReview(session: LocalAgentSession, text = 'Go') {
  const turn = session.send(text, { commit: 'review' });
  turn.catch(() => {});
  await settle();
  return { turn };
}
