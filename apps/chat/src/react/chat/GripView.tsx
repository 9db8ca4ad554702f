import { useSignalValue } from '@banister/react';
import { Fragment } from 'react';
import type { Chat } from '../../session/chat.js';
import type { GripMore } from '../../session/grip.js';
import { shownKeys } from '../../session/shown-keys.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';
import { EffectLists } from './EffectLists.js';

/** Shows the agent's work in one line, with the action that fits, always in the same place. */
export function GripView({ chat: { grip, gripClock, session } }: { readonly chat: Chat }) {
  const { kind, tone, icon, title, detail, actions, more } = useSignalValue(grip.shown);
  const clock = useSignalValue(gripClock);
  const phase = useSignalValue(useSignalValue(session).phase);
  return (
    <div role="group" aria-label="What the agent does now" className="grip" data-kind={kind} data-tone={tone}>
      <Icon name={icon} />
      <p className="grip-words">
        <span role="status" aria-label="Agent status" data-phase={phase}>
          {visibleText(title)}
          {detail !== '' && <span className="grip-detail"> {visibleText(detail)}</span>}
        </span>
        {/* Not read out, because it changes every second. */}
        {clock !== '' && (
          <span className="grip-clock" aria-hidden="true">
            {` · ${clock}`}
          </span>
        )}
      </p>
      {more && <More key={kind} {...more} />}
      {actions.map(({ label, look, icon: mark, keys, other, run }) => (
        // Each action has its own element, so that a second press on Stop does not press Undo.
        <Fragment key={`${kind} ${label}`}>
          <button
            type="button"
            className="grip-action"
            data-look={look}
            aria-keyshortcuts={keys}
            data-focus={`grip:${label}`}
            onClick={run}
          >
            {mark && <Icon name={mark} />}
            {label}
            {keys !== undefined && <kbd aria-hidden="true">{shownKeys(keys)}</kbd>}
          </button>
          {other && (
            <details className="grip-menu">
              <summary aria-label={`Other ways: ${label}`}>
                <Icon name="close" />
              </summary>
              <button type="button" onClick={other.run}>
                {other.label}
              </button>
            </details>
          )}
        </Fragment>
      ))}
    </div>
  );
}

/** The changes that the title is about. */
function More({ groups, hint, isFolded }: GripMore) {
  const lists = <EffectLists groups={groups} level={3} />;
  if (!isFolded)
    return (
      <div className="grip-more">
        {lists}
        {hint !== '' && <p>{hint}</p>}
      </div>
    );
  return (
    <details className="grip-more">
      <summary>Which changes</summary>
      {lists}
    </details>
  );
}
