import type { DetailName } from '../board/card-details.js';

/** The details that a command sets on a card or removes from it. */
export interface Details {
  readonly owner?: string;
  readonly due?: string;
  readonly label?: string;
  readonly estimate?: number;
  readonly clear?: readonly DetailName[];
}

/** Which cards a command is about. */
export type Cards =
  | { readonly by: 'title'; readonly titles: readonly string[] }
  /** By some words of their titles. The board decides which cards they mean. */
  | { readonly by: 'words'; readonly words: string; readonly column: string | null }
  /** `isReference`: by a word such as "it", which means the card that was named last, if there is one. */
  | { readonly by: 'selection'; readonly isReference?: true }
  | {
      readonly by: 'column';
      readonly column: string;
      readonly count: number | 'all';
      readonly from: 'start' | 'end';
    };

/** A command that the model understands. */
export type Command =
  | { readonly type: 'add'; readonly titles: readonly string[]; readonly column: string }
  | {
      readonly type: 'invent';
      readonly count: number;
      readonly topic: string | null;
      readonly column: string;
    }
  | { readonly type: 'move'; readonly cards: Cards; readonly column: string }
  | { readonly type: 'rename'; readonly cards: Cards; readonly title: string }
  | { readonly type: 'delete'; readonly cards: Cards }
  | { readonly type: 'detail'; readonly cards: Cards; readonly details: Details }
  | { readonly type: 'clear'; readonly column: string }
  /** `isByDetail`: asks for the owner, the due date, the label or the estimate of cards. */
  | { readonly type: 'list'; readonly isByDetail?: true }
  | { readonly type: 'table'; readonly column: string | null }
  | { readonly type: 'publish'; readonly audience: 'team' | 'everyone' }
  | { readonly type: 'plan'; readonly goal: string }
  /** Plans a release, in steps that the user approves. */
  | { readonly type: 'carry-out'; readonly release: string }
  /** Prepares a release at once, without a plan. */
  | { readonly type: 'release'; readonly release: string }
  /** Plans something other than a launch. */
  | { readonly type: 'topic'; readonly topic: string }
  | { readonly type: 'week' }
  | { readonly type: 'tidy'; readonly column: string }
  /** With an audience, the board is also published; null if the message names none. */
  | { readonly type: 'ready'; readonly audience: 'team' | 'everyone' | null }
  | { readonly type: 'month' }
  /** Starts a task in the background. */
  | { readonly type: 'background'; readonly task: string }
  /** Looks for cards that lack a detail. */
  | { readonly type: 'lacking'; readonly detail: DetailName }
  /** Keeps a fact for later conversations. */
  | { readonly type: 'remember'; readonly text: string }
  /** Forgets the fact that has these words. */
  | { readonly type: 'forget'; readonly about: string }
  /** Asks what is remembered. */
  | { readonly type: 'recall' }
  /** Asks for the reason of the last changes. */
  | { readonly type: 'why' }
  /** A command of the page that reached the model, because it waited in the queue or joined a turn. */
  | { readonly type: 'typed' }
  /** Says too little, so the user chooses one of the messages. */
  | { readonly type: 'choose'; readonly question: string; readonly options: readonly string[] }
  /** A part of a message that no rule fits, although rules fit the rest. */
  | { readonly type: 'unread'; readonly text: string }
  | { readonly type: 'talk'; readonly about: 'hello' | 'help' | 'thanks' | 'unknown' };
