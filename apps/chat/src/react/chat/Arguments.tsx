import { isJsonObject, type JsonValue, type ToolCallView } from '@handrail/react';
import { visibleJson, visibleText } from '../../text/visible-text.js';

/** The arguments of a call as far as they can be read; where the user changed them, both readings. */
export function Arguments({ call }: { readonly call: ToolCallView }) {
  const { arguments: written, ranWith, argumentsText, state } = call;
  if (!isJsonObject(written)) {
    return argumentsText === '' ? null : <pre className="code">{visibleText(argumentsText)}</pre>;
  }
  const names = Object.keys({ ...written, ...ranWith });
  return (
    <dl className="arguments">
      {names.map((name, index) => {
        const isChanged = ranWith !== undefined && words(ranWith[name]) !== words(written[name]);
        return (
          <div key={name}>
            <dt>{visibleText(name)}</dt>
            <dd>
              {isChanged ? <del>{words(written[name])}</del> : words(written[name])}
              {isChanged && <ins>{words(ranWith[name])}</ins>}
              {state === 'assembling' && index === names.length - 1 && (
                <span className="caret" aria-hidden="true" />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function words(value: JsonValue | undefined): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? visibleText(value) : visibleJson(value);
}
