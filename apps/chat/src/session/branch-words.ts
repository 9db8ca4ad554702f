import { isAgentSessionError, type JsonValue, type UndoTurn } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { counted } from './counted.js';
import type { EffectGroup, EffectLine } from './effect-group.js';
import type { Staying } from './staying.js';

/** A command that switches to another version of the conversation. */
export type BranchCommand = 'edit' | 'regenerate' | 'switch';

/** The part of a notice that describes the situation. */
export interface BranchWords {
  readonly title: string;
  readonly groups: readonly EffectGroup[];
  readonly hint?: string;
}

/** An effect or a turn that is in the way, as the details of an error name it. */
interface Named {
  readonly turnId: string;
  readonly toolCallId?: string;
  readonly description?: string;
  readonly reason: string;
}

/** Returns the question about a command whose effects cannot all be undone or redone. */
export function questionWords(
  command: BranchCommand,
  error: unknown,
  turns: readonly UndoTurn[],
): BranchWords {
  const obstacles = namedIn(error, 'obstacles');
  const groups = obstacleGroups
    .map(({ reason, ...group }) => ({
      ...group,
      lines: obstacles.filter((one) => one.reason === reason).map((one) => ({ text: nameOf(one, turns) })),
    }))
    .filter(({ lines }) => lines.length > 0);
  const onlyYours = obstacles.every(({ reason }) => reason === 'revision');
  const title = onlyYours
    ? 'You changed the board since.'
    : command === 'switch'
      ? 'The board cannot follow in everything.'
      : 'Not everything can be taken back.';
  const hint =
    command === 'switch'
      ? '“Go on anyway” does what is possible. Your own edits stay.'
      : 'Keep everything on the board as it is, or take back what can be. Your own edits stay.';
  return { title, groups, hint };
}

const obstacleGroups = [
  { reason: 'irreversible', kind: 'in-effect', heading: 'Cannot be taken back' },
  { reason: 'lost', kind: 'in-effect', heading: 'Can no longer be taken back' },
  { reason: 'not-redoable', kind: 'taken-back', heading: 'Cannot be made again' },
  { reason: 'revision', kind: 'in-effect', heading: 'You changed the board after this' },
  { reason: 'in-the-way', kind: 'in-effect', heading: 'Another turn changed the same later' },
] as const;

/** Returns the words for a command that was rolled back: the conversation is as before. */
export function problemWords(error: unknown, turns: readonly UndoTurn[]): BranchWords {
  const groupOf = (heading: string, named: readonly Named[]): readonly EffectGroup[] =>
    named.length === 0
      ? []
      : [
          {
            kind: 'in-effect',
            heading,
            lines: named.map((one) => ({ text: nameOf(one, turns), reason: one.reason })),
          },
        ];
  const notRestored = namedIn(error, 'notRestored');
  const isStop = isAgentSessionError(error) && error.code === 'cancelled';
  const isUndo = isAgentSessionError(error) && error.code === 'undo-failed';
  return {
    title: isStop
      ? 'You stopped it. The conversation stays as it is.'
      : isUndo
        ? 'That did not work, so the conversation stays as it is.'
        : `That did not work. ${isAgentSessionError(error) ? error.message : ''}`.trim(),
    groups: [
      ...groupOf('Could not be taken back', namedIn(error, 'failed')),
      ...groupOf('Not as it was before', notRestored),
    ],
  };
}

/** Says how the board differs from the shown version; null if it does not differ. */
export function stayingWords(
  { others, missing }: Staying,
  branches: Readonly<Record<string, { readonly ids: readonly string[] }>>,
): BranchWords | null {
  const groups = [
    {
      kind: 'in-effect' as const,
      heading: 'In effect, from another version',
      lines: others.flatMap(linesOf),
    },
    {
      kind: 'taken-back' as const,
      heading: 'Of this version, not in effect',
      lines: missing.flatMap(linesOf),
    },
  ].filter(({ lines }) => lines.length > 0);
  if (groups.length === 0) return null;
  const attempt = attemptOf(others, Object.values(branches));
  if (attempt !== null && missing.length > 0)
    return { title: `The board still shows attempt ${attempt}`, groups };
  const [there, away] = [others, missing].map((turns) => turns.flatMap(linesOf).length) as [number, number];
  const parts = [
    ...(there === 0 ? [] : [`has ${counted(there, 'change')} of another version`]),
    ...(away === 0 ? [] : [`lacks ${counted(away, 'change')} of this one`]),
  ];
  return { title: `The board ${parts.join(' and ')}.`, groups };
}

/**
 * Returns the number of the version to which these turns belong; null if they belong to several versions, or
 * follow a version that is not shown.
 */
function attemptOf(
  turns: readonly UndoTurn[],
  branches: readonly { readonly ids: readonly string[] }[],
): number | null {
  const found = turns.map(({ turnId }) => {
    const ids = branches.find((branch) => branch.ids.includes(turnId))?.ids ?? [];
    return ids.indexOf(turnId) + 1;
  });
  const [first = 0] = found;
  return first > 0 && found.every((attempt) => attempt === first) ? first : null;
}

function linesOf({ state, label, effects }: UndoTurn): readonly EffectLine[] {
  return state === 'done' || state === 'undone'
    ? effects.map(({ description }) => ({ text: description }))
    : [{ text: `A part of “${label}”` }];
}

/** Returns an effect by its description, a turn by its message. */
function nameOf({ turnId, toolCallId, description }: Named, turns: readonly UndoTurn[]): string {
  const turn = turns.find((entry) => entry.turnId === turnId);
  const effect = turn?.effects.find((one) => one.toolCallId === toolCallId);
  return description ?? effect?.description ?? `“${turn?.label ?? 'an earlier turn'}”`;
}

function namedIn(error: unknown, list: string): readonly Named[] {
  const found: JsonValue | undefined = isAgentSessionError(error) ? error.details[list] : undefined;
  return Array.isArray(found) ? (found.filter(isJsonObject) as unknown as readonly Named[]) : [];
}
