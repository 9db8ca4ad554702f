import { domainOf } from '../conversation/tool-id.js';
import { undoNotes } from '../state/undo-notes.js';
import { readRevisions } from '../undo/revisions.js';
import type { OpenParts } from './open-parts.js';

/**
 * Notes the state of the app as a session begins to follow its log. Returns the function that finds the domains whose state has stayed as it was
 * while another session made effects there: this page does not share the state of that one. A domain without a revision is never found.
 */
export function followedState({ core, host }: OpenParts): () => readonly string[] {
  // Where a revision cannot be read, the first turn reports it.
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
