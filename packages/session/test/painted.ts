import { contentRevision, defineTool, type Domain, type Tool } from '@banister/session';
import { callTools, say } from '@banister/testing';

/** The name of the tool that paints, which a later release may have renamed. */
type ToolName = 'paint' | 'colour';

interface Stroke {
  readonly card: string;
  readonly colour: string;
  readonly before: string;
}

/** An app of cards with colours, whose tool names the path of the card and records data. It outlives its sessions. */
export function paintedCards(...names: readonly string[]) {
  const colours: Record<string, string> = Object.fromEntries(names.map((name) => [name, 'white']));
  let changes = 0;
  const paint = (card: string, colour: string) => {
    colours[card] = colour;
    changes++;
  };
  const text = { type: 'string' } as const;
  const tool = (name: ToolName, wait: () => Promise<void> | undefined) =>
    defineTool({
      name,
      description: 'Paints a card.',
      parameters: { type: 'object', properties: { card: text, colour: text }, required: ['card', 'colour'] },
      undo: {
        async revert({ card, before }: Stroke) {
          const waiting = wait();
          if (waiting) await waiting;
          paint(card, before);
        },
        reapply: ({ card, colour }: Stroke) => paint(card, colour),
      },
      execute({ card, colour }, { undo }) {
        const data = { card, colour, before: colours[card] ?? 'white' };
        void undo({ description: `Painted ${card} ${colour}`, paths: [`cards/${card}/colour`], data });
        paint(card, colour);
      },
    });
  return {
    /** The colour of each card. */
    colours,
    /** Paints a card, as the user. */
    paint,
    domain: ({
      revision = 'content',
      toolName = 'paint',
      wait = () => undefined,
      more = [],
    }: PaintedOptions = {}): Domain => ({
      id: 'cards',
      tools: [tool(toolName, wait), ...more],
      ...(revision === 'none'
        ? {}
        : { revision: revision === 'content' ? contentRevision(() => colours) : () => changes }),
    }),
  };
}

export interface PaintedOptions {
  /** Default `content`. */
  readonly revision?: 'content' | 'counter' | 'none';
  readonly toolName?: ToolName;
  /** Returns the time that a revert waits. Default: it does not. */
  readonly wait?: () => Promise<void> | undefined;
  readonly more?: readonly Tool[];
}

/** The answers of a turn that paints cards. */
export const paintTurn = (...strokes: readonly (readonly [card: string, colour: string])[]) => [
  callTools(...strokes.map(([card, colour]) => ({ tool: 'cards.paint', args: { card, colour } }))),
  say('Done.'),
];
