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

export interface Views {
  mountPlain(target: HTMLElement, past: readonly ShownMessage[], drawn: Drawn): PlainView;
  mountSession(target: HTMLElement, session: AgentSession, drawn: Drawn): void;
}

/** The messages of a turn as text, in the one place that all three views share. */
export function textsOf(turn: AgentSession['turns']['value'][number]): readonly string[] {
  const texts = (parts: readonly { readonly type: string; readonly text?: string }[]) =>
    parts.map((part) => part.text ?? '').join('');
  return [texts(turn.input.parts), ...turn.rounds.map(({ parts }) => texts(parts))];
}
