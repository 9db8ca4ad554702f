import {
  allCallsOf,
  type AgentSession,
  type ToolCallView,
  type TurnRecord,
  type UndoTurn,
} from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { ReadonlySignal } from '@banister/session/signals';
import { meantCards } from '../offline/meant-cards.js';
import { readTypedCommand, withException, type TypedCommand } from '../offline/typed-command.js';
import { finalWords } from '../session/final-effects.js';
import type { Direction, TurnUndo } from '../session/turn-undo.js';
import { visibleText } from '../text/visible-text.js';
import type { GuideLine } from './guide-line.js';

/**
 * Typed commands that the page itself carries out while the rules answer. They cannot be turns, because
 * `undo` needs an idle session. So no message is sent, and the guide line says what was done. Real models get
 * the same texts as messages.
 */
export interface TypedCommands {
  /**
   * Carries a message out if it is such a command; otherwise returns false, and the message has to be sent.
   */
  take(message: string): boolean;
}

interface TypedCommandsOptions {
  readonly session: ReadonlySignal<AgentSession>;
  readonly turnUndo: Pick<TurnUndo, 'run' | 'question'>;
  readonly guide: Pick<GuideLine, 'say' | 'clear'>;
  /** Sends a message as if the user had written it. */
  say(message: string): void;
}

export function createTypedCommands({ session, turnUndo, guide, say }: TypedCommandsOptions): TypedCommands {
  const tell = (text: string): void => guide.say('answer', text);

  /**
   * Undoes or redoes one turn, and returns it; null if no turn was moved. A question about that is shown
   * elsewhere.
   */
  const move = async (direction: Direction, turnId?: string): Promise<UndoTurn | null> => {
    const of = session.peek();
    const before = of.undoEntries.peek();
    await turnUndo.run(direction, turnId);
    const moved = of.undoEntries
      .peek()
      .find((one) => before.find((old) => old.turnId === one.turnId)?.state !== one.state);
    if (moved === undefined && turnUndo.question.peek() === null)
      tell(direction === 'undo' ? whyNothing(of) : 'There is nothing to redo.');
    return moved ?? null;
  };

  const undo = async (turnId?: string): Promise<void> => {
    const moved = await move('undo', turnId);
    if (moved === null) return;
    const part = moved.state === 'undone' ? '' : ' in part: the receipt says what stays';
    tell(`The page took ${named(moved)} back${part}. No message was sent: Redo brings it back.`);
  };

  const redo = async (): Promise<void> => {
    const moved = await move('redo');
    if (moved === null) return;
    const part = moved.state === 'done' ? '' : ' in part: the receipt says what is missing';
    tell(`The page did ${named(moved)} again${part}. No message was sent.`);
  };

  const not = async (which: 'all' | 'one'): Promise<void> => {
    const turn = newestInEffect(session.peek());
    const changes = turn?.effects.length ?? 0;
    if (which === 'all' || turn === undefined || changes <= 1) return undo(turn?.turnId);
    tell(
      `${named(turn)} made ${changes} changes. Name the one that you do not want: without “its title”. Or say “not those”.`,
    );
  };

  /** Undoes the turn, and sends its message again with the exception. */
  const without = async (cards: readonly string[]): Promise<void> => {
    const of = session.peek();
    const turn = newestInEffect(of);
    const record = of.turns.peek().find(({ id }) => id === turn?.turnId);
    if (turn === undefined || record === undefined) return tell('There are no changes to leave out.');
    const titles = cards.map((card) => titleIn(record, card));
    const unknown = cards.filter((_, index) => titles[index] === undefined);
    if (unknown.length > 0) return tell(`${named(turn)} did nothing with ${quotedList(unknown)}.`);
    const moved = await move('undo', turn.turnId);
    if (moved?.state !== 'undone') return;
    guide.clear();
    say(
      withException(
        messageOf(record),
        titles.flatMap((title) => title ?? []),
      ),
    );
  };

  const carryOut = (command: TypedCommand): Promise<void> => {
    switch (command.type) {
      case 'undo':
        return undo();
      case 'redo':
        return redo();
      case 'not':
        return not(command.which);
      case 'without':
        return without(command.cards);
    }
  };

  return {
    take(message) {
      const command = readTypedCommand(message);
      if (command === null) return false;
      guide.clear();
      void carryOut(command);
      return true;
    },
  };
}

/** Returns why an undo did nothing. */
function whyNothing({ turns }: AgentSession): string {
  const final = finalWords(turns.peek());
  return final === null ? 'There is nothing to undo.' : `${final}.`;
}

/** Returns the newest turn of the path that has an effect that can be undone. */
function newestInEffect({ undoEntries }: AgentSession): UndoTurn | undefined {
  return undoEntries
    .peek()
    .findLast(({ undoable, state, offPath }) => undoable && state !== 'undone' && offPath !== true);
}

function named({ label }: UndoTurn): string {
  return `“${visibleText(label)}”`;
}

function quotedList(titles: readonly string[]): string {
  return titles.map((title) => `“${visibleText(title)}”`).join(' and ');
}

function messageOf({ input }: TurnRecord): string {
  return input.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join(' ');
}

/**
 * Returns the title in a call of the turn that the words mean: the same title, or else the only title that
 * contains the words.
 */
function titleIn(turn: TurnRecord, words: string): string | undefined {
  const titles = allCallsOf(turn).flatMap(titlesOf);
  const meant = meantCards(
    words,
    titles.map((title) => ({ title, column: '' })),
  );
  return meant.kind === 'found' ? meant.titles[0] : undefined;
}

function titlesOf({ arguments: given, ranWith }: ToolCallView): readonly string[] {
  const args = ranWith ?? given;
  if (!isJsonObject(args)) return [];
  return [args['card'], args['title']].filter((text) => typeof text === 'string');
}
