import type { ApproveOptions, Confirmation } from '@handrail/session';

/** What the user wants remembered with an approval: nothing, or calls like this one for some time. */
export type RememberChoice = 'once' | `${'arguments' | 'tool'}:${'turn' | 'session' | 'always'}`;

interface Choice {
  readonly value: RememberChoice;
  readonly label: string;
}

const once: Choice = { value: 'once', label: 'Just this once' };

const exact: readonly Choice[] = [
  { value: 'arguments:turn', label: 'Exactly this, this turn' },
  { value: 'arguments:session', label: 'Exactly this, this chat' },
  { value: 'arguments:always', label: 'Exactly this, always' },
];

const alike: readonly Choice[] = [
  { value: 'tool:turn', label: 'All like this, this turn' },
  { value: 'tool:session', label: 'All like this, this chat' },
  { value: 'tool:always', label: 'All like this, always' },
];

/** The changes that are allowed one by one: what they cost, or destroy, differs each time. */
const grave: readonly string[] = ['board.delete_card', 'board.clear_column', 'board.publish_board'];

/** The choices beside an approval. */
export function rememberChoices({ call, irreversible, cost }: Confirmation): readonly Choice[] {
  const isGrave = irreversible || cost !== undefined || grave.includes(call.tool);
  return [once, ...exact, ...(isGrave ? [] : alike)];
}

export function rememberOptions(choice: RememberChoice): Pick<ApproveOptions, 'remember' | 'scope'> {
  if (choice === 'once') return {};
  const [scope, remember] = choice.split(':') as ['arguments' | 'tool', 'turn' | 'session' | 'always'];
  return { scope, remember };
}
