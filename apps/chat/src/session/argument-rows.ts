import type { JsonValue, ToolCallView } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { visibleJson, visibleText } from '../text/visible-text.js';

/** An argument of a call, as text to show. */
export interface ArgumentRow {
  readonly name: string;
  readonly written: string;
  /** The user's value, if it differs from the agent's value. */
  readonly ranWith: string | null;
  /** Whether the model is still writing it. */
  readonly isGrowing: boolean;
}

/** Returns the arguments of a call as far as they can be read; null if they are not an object. */
export function argumentRows({
  arguments: written,
  ranWith,
  state,
}: ToolCallView): readonly ArgumentRow[] | null {
  if (!isJsonObject(written)) return null;
  return Object.keys({ ...written, ...ranWith }).map((name, index, { length }) => {
    const before = words(written[name]);
    const after = ranWith === undefined ? before : words(ranWith[name]);
    return {
      name: visibleText(name),
      written: before,
      ranWith: after === before ? null : after,
      isGrowing: state === 'assembling' && index === length - 1,
    };
  });
}

function words(value: JsonValue | undefined): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? visibleText(value) : visibleJson(value);
}
