import type { ProviderEvent } from '@handrail/session/provider';

/** Text in which the model refuses, told apart from other text for whoever looks. */
export interface RefusalText {
  readonly type: 'text';
  readonly delta: string;
  readonly refusal: true;
}

/** Words of a refusal. They are text: the user is to read them. */
export function refusalText(delta: string): ProviderEvent {
  const event: RefusalText = { type: 'text', delta, refusal: true };
  return event;
}
