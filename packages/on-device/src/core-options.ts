import type { CoreOptions, Expected, ModelTool } from './language-model.js';
import type { OnDeviceOptions } from './on-device-options.js';

/** The form in which the browser accepts tools. */
export interface ToolForm {
  /** Whether calls and results must be announced as types of content. */
  readonly announced: boolean;
}

/** The options that must be the same for `availability()` and `create()`. */
export function coreOptions(
  { languages, images, createOptions }: OnDeviceOptions,
  tools: readonly ModelTool[] = [],
  { announced }: ToolForm = { announced: false },
): CoreOptions {
  const text: Expected = { type: 'text', ...(languages === undefined ? {} : { languages }) };
  const withCalls = announced && tools.length > 0;
  return {
    ...createOptions,
    expectedInputs: [
      text,
      ...(images ? [{ type: 'image' } as const] : []),
      ...(withCalls ? [{ type: 'tool-response' } as const] : []),
    ],
    expectedOutputs: [text, ...(withCalls ? [{ type: 'tool-call' } as const] : [])],
    ...(tools.length === 0 ? {} : { tools }),
  };
}
