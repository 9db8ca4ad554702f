import { coreOptions, type ToolForm } from './core-options.js';
import type { CoreOptions, LanguageModelApi, ModelTool } from './language-model.js';
import type { OnDeviceOptions } from './on-device-options.js';

/**
 * What becomes of tools. `inside`: the browser calls them while the model answers. `asked`: the answer ends with the calls,
 * as with a server. `none`: this browser, or this model, takes none.
 */
export interface ToolSupport extends ToolForm {
  readonly calls: 'inside' | 'asked' | 'none';
}

export const noTools: ToolSupport = { calls: 'none', announced: false };

/**
 * Finds out what the browser does with tools. It ignores options that it does not know without a word, but it only reads
 * those that it knows: so the options are watched while it looks at them.
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
      // Browsers that do not know calls as a kind of content refuse the word; they may take tools all the same.
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
    description: 'Only asks whether tools are taken.',
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
