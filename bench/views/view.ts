// A view of the bench: a list of settled messages, and a streaming message.
import type { AgentSession } from '@banister/session';
import { childrenOf } from '@banister/session/operations';

export interface ShownMessage {
  readonly id: string;
  readonly text: string;
}

/** How often a view drew each of its parts. */
export interface Drawn {
  list: number;
  message: number;
  live: number;
}

/** The floor: a view on the framework's own state. Its methods are called at most once a frame. */
export interface PlainView {
  stream(text: string): void;
  settle(messages: readonly ShownMessage[]): void;
}

/** The views of a framework on either source. Both draw the same with the same components. */
export interface Views {
  mountPlain(target: HTMLElement, past: readonly ShownMessage[], drawn: Drawn): PlainView;
  mountSession(target: HTMLElement, session: AgentSession, drawn: Drawn): void;
  /** As `mountSession`, with the texts of the agents in the place of the text of the session's own model. */
  mountAgents(target: HTMLElement, session: AgentSession, drawn: Drawn): void;
}

type Turn = AgentSession['turns']['value'][number];

const known = new WeakMap<Turn, readonly ShownMessage[]>();

/** The settled messages of a session: an unchanged turn gives the same objects, as an app's own state does. */
export function settledMessages(session: AgentSession): readonly ShownMessage[] {
  return session.turns.value.flatMap((turn) => {
    let messages = known.get(turn);
    if (messages === undefined) known.set(turn, (messages = messagesOf(turn)));
    return messages;
  });
}

function messagesOf({ id, input, rounds }: Turn): readonly ShownMessage[] {
  return [
    { id: `${id}-input`, text: textOf(input.parts) },
    ...rounds.map(({ parts }, index) => ({ id: `${id}-${index}`, text: textOf(parts) })),
  ];
}

/** The text of the message that streams. */
export function liveText(session: AgentSession): string {
  return session.isRunning.value ? session.currentText.value : '';
}

/** The texts of the agents of the running turn. */
export function agentTexts(session: AgentSession): readonly string[] {
  const turn = session.liveTurn.value;
  return turn === null
    ? []
    : childrenOf(turn).map(({ rounds }) => rounds.map(({ parts }) => textOf(parts)).join(''));
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => part.text ?? '').join('');
}
