import type { CoreOptions, Expected, ModelTool } from './language-model.js';
import type { OnDeviceOptions } from './on-device-options.js';

/** How the browser wants tools offered. */
export interface ToolForm {
  /** Calls and results must be announced as kinds of content. */
  readonly announced: boolean;
}

/** The options that `availability()` and `create()` have to agree on. */
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
