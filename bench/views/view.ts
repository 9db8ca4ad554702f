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

/** What the list shows of a session. */
export function settledMessages(session: AgentSession): readonly ShownMessage[] {
  return session.turns.value.flatMap(({ id, input, rounds }) => [
    { id: `${id}-input`, text: textOf(input.parts) },
    ...rounds.map(({ parts }, index) => ({ id: `${id}-${index}`, text: textOf(parts) })),
  ]);
}

/** What streams. */
export function liveText(session: AgentSession): string {
  return session.isRunning.value ? session.currentText.value : '';
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => part.text ?? '').join('');
}
