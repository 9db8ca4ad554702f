import { domainOf } from '../conversation/tool-id.js';
import { undoNotes } from '../state/undo-notes.js';
import { readRevisions } from '../undo/revisions.js';
import type { OpenParts } from './open-parts.js';

/**
 * Reads the revisions of the domains when a session begins to follow its log. Returns a function that lists the domains whose revision has
 * stayed the same although another session made effects there: for such a domain, this page does not share the state of the other session.
 * A domain without a revision is never listed.
 */
export function followedState({ core, host }: OpenParts): () => readonly string[] {
  // Errors are ignored here: the first turn reports a revision that cannot be read.
  const revisions = () => readRevisions(host.tools().domains, () => {});
  const effects = () =>
    undoNotes(core.current)
      .flatMap(({ undo }) => undo.calls)
      .flatMap(({ callId, tool, steps }) =>
        steps
          .filter(({ data, state }) => data !== undefined && state !== 'reverted')
          .map(({ step }) => ({ key: `${callId}/${step}`, domain: domainOf(tool) })),
      );
  const before = revisions();
  const known = new Set(effects().map(({ key }) => key));
  return () => {
    const now = revisions();
    const made = effects().filter(({ key }) => !known.has(key));
    const touched = new Set(made.map(({ domain }) => domain));
    return [...touched].filter((domain) => before[domain] !== undefined && before[domain] === now[domain]);
  };
}
