// What every view of the bench is: a list of settled messages, and one message that streams.
import type { AgentSession } from '@handrail/session';

export interface ShownMessage {
  readonly id: string;
  readonly text: string;
}

/** How often a view drew what. */
export interface Drawn {
  list: number;
  message: number;
  live: number;
}

/** A view on state of the framework's own: the floor. Whoever drives it calls these at most once a frame. */
export interface PlainView {
  stream(text: string): void;
  settle(messages: readonly ShownMessage[]): void;
}

/** One view in a framework, on either source: what is drawn, and by which components, is the same. */
export interface Views {
  mountPlain(target: HTMLElement, past: readonly ShownMessage[], drawn: Drawn): PlainView;
  mountSession(target: HTMLElement, session: AgentSession, drawn: Drawn): void;
}

type Turn = AgentSession['turns']['value'][number];

const known = new WeakMap<Turn, readonly ShownMessage[]>();

/** What the list shows of a session: a turn that stayed the same gives the same messages, as the app's own state does. */
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

/** What streams. */
export function liveText(session: AgentSession): string {
  return session.isRunning.value ? session.currentText.value : '';
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => part.text ?? '').join('');
}
