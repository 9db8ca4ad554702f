import { coreOptions, type ToolForm } from './core-options.js';
import type { CoreOptions, LanguageModelApi, ModelTool } from './language-model.js';
import type { OnDeviceOptions } from './on-device-options.js';

/**
 * How the browser supports tools. `inside`: the browser calls them while the model answers. `asked`: the answer ends with the
 * calls, as with a server. `none`: this browser, or this model, has no tools.
 */
export interface ToolSupport extends ToolForm {
  readonly calls: 'inside' | 'asked' | 'none';
}

export const noTools: ToolSupport = { calls: 'none', announced: false };

/**
 * Detects how the browser supports tools. A browser ignores unknown options without an error, but it reads only options that
 * it knows: the probe records which of its options are read.
 */
export async function detectTools(api: LanguageModelApi, options: OnDeviceOptions): Promise<ToolSupport> {
  for (const announced of [true, false]) {
    const watched = watchedOptions(options, { announced });
    try {
      const availability = await api.availability(watched.options);
      if (!watched.read.has('tools')) return noTools;
      if (availability !== 'unavailable') {
        return { calls: watched.read.has('execute') ? 'inside' : 'asked', announced };
      }
    } catch {
      // A browser that does not know calls as a type of content throws; it may still support tools.
    }
  }
  return noTools;
}

function watchedOptions(
  options: OnDeviceOptions,
  form: ToolForm,
): { options: CoreOptions; read: Set<string> } {
  const read = new Set<string>();
  const tool: ModelTool = {
    name: 'probe',
    description: 'Detects whether tools are supported.',
    inputSchema: { type: 'object', properties: {} },
    get execute() {
      read.add('execute');
      return () => Promise.resolve('');
    },
  };
  const { tools, ...rest } = coreOptions(options, [tool], form);
  return {
    read,
    options: {
      ...rest,
      get tools() {
        read.add('tools');
        return tools;
      },
    },
  };
}
