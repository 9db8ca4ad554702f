import type { Clock, JsonObject, JsonValue } from '@banister/provider';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { sameJson } from '@banister/provider/internal/json/same-json';
import type { CallPreview, PreviewFailure } from './confirmation-operations.js';
import { checkArguments } from '../tools/check-arguments.js';
import type { ReadyCall } from '../turn/batch-call.js';

/** The longest time that a preview may take, in milliseconds. */
const PREVIEW_MS = 3_000;
/** The longest preview, in characters of its JSON. It is also the highest number of values in a preview. */
const MAX_PREVIEW = 10_000;

/** The parts of a call from which its preview is made. */
export type PreviewedCall = Pick<ReadyCall, 'id' | 'tool' | 'validate' | 'value'>;

/** The error of a value that is not a preview. */
class NoPreview extends Error {
  constructor(
    message: string,
    readonly because: PreviewFailure,
  ) {
    super(message);
  }
}

/** Returns true if the tool of a call has a preview. */
export function hasPreview({ tool }: Pick<ReadyCall, 'tool'>): boolean {
  return tool.tool.preview !== undefined;
}

/**
 * Calls the preview of a tool. Never rejects. The result is a failed preview if the tool throws, takes too long, or returns something that
 * is not JSON of limited size, or if the signal fires first. The tool gets a copy of the arguments, which it may change.
 */
export function callPreview(
  { tool, validate }: PreviewedCall,
  args: JsonObject,
  clock: Clock,
  signal: AbortSignal,
): Promise<CallPreview> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const finish = (preview: CallPreview) => {
      stop();
      signal.removeEventListener('abort', ended);
      resolve(deepFreeze(preview));
    };
    const fail = (error: unknown) => {
      const because = error instanceof NoPreview ? { because: error.because } : {};
      finish({ kind: 'failed', reason: messageOf(error), ...because });
      controller.abort();
    };
    const ended = () => fail(new NoPreview('The question has ended.', { code: 'ended' }));
    const tooSlow = new NoPreview(`The preview took longer than ${PREVIEW_MS / 1000} seconds.`, {
      code: 'too-slow',
      ms: PREVIEW_MS,
    });
    const stop = clock.schedule(() => fail(tooSlow), PREVIEW_MS);
    signal.addEventListener('abort', ended, { once: true });
    const make = async () => {
      const checked = await checkArguments(tool, validate, jsonCopy(args) as JsonObject);
      if (!checked.ok) throw new Error(sentence(`The arguments do not fit: ${checked.issues.join('; ')}`));
      return previewIn(await tool.tool.preview!(checked.value as never, { signal: controller.signal }));
    };
    make().then(finish, fail);
    if (signal.aborted) ended();
  });
}

/** Reads the value that a tool returned. Throws if the value is not a preview. */
function previewIn(value: unknown): CallPreview {
  if (value === undefined || value === null || value === '')
    throw new NoPreview('The preview is empty.', { code: 'empty' });
  const copy = copyOf(value);
  if (JSON.stringify(copy).length > MAX_PREVIEW)
    throw new NoPreview(`The preview is longer than ${MAX_PREVIEW} characters.`, {
      code: 'too-long',
      limit: MAX_PREVIEW,
    });
  if (typeof copy === 'string') return { kind: 'text', text: copy };
  return isChange(copy)
    ? { kind: 'change', before: copy['before'] ?? null, after: copy['after'] ?? null }
    : { kind: 'json', value: copy };
}

function copyOf(value: unknown): JsonValue {
  try {
    return jsonCopy(value, MAX_PREVIEW);
  } catch (error) {
    throw new NoPreview(sentence(`The preview is not JSON: ${messageOf(error)}`), { code: 'no-json' });
  }
}

function isChange(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key === 'before' || key === 'after');
}

/** Returns true if two previews show the same. A failed preview shows nothing, so it is different from every other preview. */
export function showsTheSame(before: CallPreview, now: CallPreview): boolean {
  return before.kind !== 'failed' && sameJson(before, now);
}
