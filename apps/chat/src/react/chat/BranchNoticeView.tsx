import { useSignalValue } from '@handrail/react';
import type { Branching } from '../../session/branching.js';
import type { BranchNotice } from '../../session/branch-notice.js';
import { visibleText } from '../../text/visible-text.js';
import { EffectLists } from './EffectLists.js';

/** The question, the problem or the remark about the versions of the conversation. */
export function BranchNoticeView({ branching }: { readonly branching: Branching }) {
  const notice = useSignalValue(branching.notice);
  // The live region is there before its words.
  return <div aria-live="polite">{notice && <Notice key={notice.kind} {...notice} />}</div>;
}

function Notice({ kind, title, groups, hint, actions, leave }: BranchNotice) {
  const lists = <EffectLists groups={groups} level={3} />;
  return (
    <section
      className="branch-notice"
      data-kind={kind}
      role={kind === 'staying' ? undefined : 'alert'}
      aria-label="Versions and the board"
    >
      <div className="branch-notice-head">
        <p className="branch-notice-title">{visibleText(title)}</p>
        <button type="button" className="button button-quiet" onClick={leave}>
          Leave it
        </button>
      </div>
      {kind === 'staying' ? (
        <details>
          <summary>Which changes</summary>
          {lists}
        </details>
      ) : (
        <div className="branch-notice-lists">{lists}</div>
      )}
      {hint !== undefined && <p>{hint}</p>}
      <div className="row-end">
        {actions.map(({ label, isPrimary, run }) => (
          <button
            key={label}
            type="button"
            className={`button${isPrimary ? ' button-primary' : ''}`}
            onClick={run}
          >
            {label}
          </button>
        ))}
      </div>
    </section>
  );
}
