import type { Grant, LocalAgentSession, ToolCallView } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { visibleText } from '../text/visible-text.js';
import type { DescribeCall } from '../board/describe-call.js';
import type { Cues } from './cues.js';
import { verbsOf } from './tool-verbs.js';

/** A remembered approval, in words. */
export interface Permission {
  readonly id: string;
  readonly what: string;
  /** How long it holds. */
  readonly until: string;
}

/** The permissions that the user has given, and can revoke. */
export interface Permissions {
  readonly list: ReadonlySignal<readonly Permission[]>;
  /** Revokes a permission. The focus moves to the next permission, or to the message field. */
  revoke(permission: Permission): Promise<void>;
}

const untils = { turn: 'this turn', session: 'this chat', always: 'always' } as const;

export function createPermissions({
  session,
  describe,
  cues,
}: {
  readonly session: ReadonlySignal<LocalAgentSession>;
  readonly describe: DescribeCall;
  readonly cues: Pick<Cues, 'focus' | 'say'>;
}): Permissions {
  const list = computed(() => session.value.grants.value.map((grant) => permissionOf(grant, describe)));
  return {
    list,
    async revoke({ id, what }) {
      const ids = list.peek().map((one) => one.id);
      const next = ids[ids.indexOf(id) + 1] ?? ids[ids.indexOf(id) - 1];
      try {
        await session.peek().revoke(id);
        cues.say(`${what} is asked about again`);
      } catch {
        cues.say(`${what} is still allowed: try again`);
        return;
      }
      cues.focus(...(next === undefined ? [] : [`revoke:${next}`]), 'message');
    },
  };
}

/**
 * Says that a remembered approval allowed a call about which the user would otherwise have been asked; null
 * for every other call.
 */
export function allowedWords(
  grants: readonly Grant[],
  { grant }: Pick<ToolCallView, 'grant'>,
): string | null {
  if (grant === undefined) return null;
  const found = grants.find(({ id }) => id === grant);
  if (found === undefined) return 'Allowed';
  return found.remember === 'always' ? 'Allowed always' : `Allowed for ${untils[found.remember]}`;
}

function permissionOf({ id, tool, arguments: args, remember }: Grant, describe: DescribeCall): Permission {
  const what = args === undefined ? verbsOf(tool).doing : describe({ tool, arguments: args });
  return { id, what: visibleText(what), until: untils[remember] };
}
