import type { ApproveOptions, Confirmation } from '@banister/session';
import { isGraveTool, titleOfTool } from './tool-verbs.js';

/** How long an approval is remembered. */
export type RememberTime = 'once' | 'turn' | 'session' | 'always';

/** The calls that a remembered approval covers: calls with the same arguments, or all calls of the tool. */
export type RememberScope = 'arguments' | 'tool';

/** How long, and for which calls, the user wants an approval remembered. */
export interface Remembering {
  readonly time: RememberTime;
  readonly scope: RememberScope;
}

interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

interface TimeChoice extends Choice<RememberTime> {
  /** The label if there is little room. */
  readonly short: string;
}

export const once: Remembering = { time: 'once', scope: 'arguments' };

export const rememberTimes: readonly TimeChoice[] = [
  { value: 'once', label: 'Just this once', short: 'Once' },
  { value: 'turn', label: 'For this turn', short: 'Turn' },
  { value: 'session', label: 'For this chat', short: 'Chat' },
  { value: 'always', label: 'Always', short: 'Always' },
];

/**
 * Returns the calls that may be covered. Calls that cost, destroy or cannot be undone are approved one by
 * one, because they differ each time.
 */
export function rememberScopes({ call, irreversible, cost }: Confirmation): readonly Choice<RememberScope>[] {
  const exact: Choice<RememberScope> = { value: 'arguments', label: 'This exact change' };
  if (irreversible || cost !== undefined || isGraveTool(call.tool)) return [exact];
  return [exact, { value: 'tool', label: `Every “${titleOfTool(call.tool)}”` }];
}

/** Returns the choice in a few words, for the button that opens the menu. */
export function rememberLabel({ time, scope }: Remembering, { call }: Pick<Confirmation, 'call'>): string {
  const label = rememberTimes.find(({ value }) => value === time)?.label ?? '';
  return time === 'once' || scope === 'arguments' ? label : `${label}, every “${titleOfTool(call.tool)}”`;
}

/** Returns the choice in one word. */
export function rememberShort({ time }: Remembering): string {
  return rememberTimes.find(({ value }) => value === time)?.short ?? '';
}

export function rememberOptions({ time, scope }: Remembering): Pick<ApproveOptions, 'remember' | 'scope'> {
  return time === 'once' ? {} : { remember: time, scope };
}
