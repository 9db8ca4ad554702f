import type { ToolCallView } from '@banister/react';
import { argumentRows } from '../../session/argument-rows.js';
import { visibleText } from '../../text/visible-text.js';

/**
 * The arguments of a call as far as they can be read. If the user changed an argument, both values are shown.
 */
export function Arguments({ call }: { readonly call: ToolCallView }) {
  const rows = argumentRows(call);
  if (rows === null) {
    return call.argumentsText === '' ? null : <pre className="code">{visibleText(call.argumentsText)}</pre>;
  }
  return (
    <dl className="arguments">
      {rows.map(({ name, written, ranWith, isGrowing }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {ranWith === null ? written : <del>{written}</del>}
            {ranWith !== null && <ins>{ranWith}</ins>}
            {isGrowing && <span className="caret" aria-hidden="true" />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
