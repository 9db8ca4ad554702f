import { AgentSessionError, type ProviderEvent, type ProviderRequest } from '@banister/provider';
import { streamAnswer } from './stream-answer.js';
import { checkOptions } from './check-options.js';
import { coreOptions } from './core-options.js';
import { download } from './download.js';
import { builtInModel, type Availability, type LanguageModelApi } from './language-model.js';
import type { OnDeviceOptions, OnDeviceProvider } from './on-device-options.js';
import { cancelled, deviceError } from './device-error.js';
import { detectTools, noTools } from './tool-support.js';
import { untilAborted } from './until-aborted.js';

/**
 * A provider over the language model that is built into the browser: no key, no server, nothing leaves the device. The model
 * calls the tools inside its own session; guards, confirmation, limits, cancel and undo apply to these calls as to all others.
 *
 * Throws `invalid-configuration` for an invalid language tag.
 *
 * @example
 * const provider = onDevice({ languages: ['en'] });
 * if ((await provider.availability()) === 'available') session.configure({ provider });
 */
export function onDevice(options: OnDeviceOptions = {}): OnDeviceProvider {
  checkOptions(options);
  const model = () => options.languageModel ?? builtInModel();
  const availability = async (): Promise<Availability> => {
    try {
      return (await model()?.availability(coreOptions(options))) ?? 'unavailable';
    } catch (thrown) {
      throw deviceError(thrown, 'creating');
    }
  };
  const tools = async () => {
    const api = model();
    return api === undefined ? noTools : detectTools(api, options);
  };
  let contextWindow: number | undefined;

  async function* stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    if (request.maxOutputTokens !== undefined) throw noTokenLimit();
    if (signal.aborted) throw cancelled(signal);
    const state = await untilAborted(availability(), signal);
    const api = model();
    if (api === undefined || state !== 'available') throw notReady(state);
    yield* streamAnswer(
      { api, options, tools, contextWindow: (tokens) => (contextWindow = tokens ?? contextWindow) },
      request,
      signal,
    );
  }

  return {
    id: 'on-device',
    model: 'built-in',
    capabilities: {
      images: options.images ?? false,
      // A result can only be text.
      imagesInResults: false,
      // The browser has no option that forces the model to call a tool.
      toolChoices: ['none'],
      // A browser that does not know the option ignores it; the session checks the answer.
      structuredOutput: true,
      ...(options.maxTools === undefined ? {} : { maxTools: options.maxTools }),
      /** Known after the first answer, because only a model session states it. */
      get contextWindow() {
        return contextWindow;
      },
    },
    stream,
    async validateTools(offered) {
      const { calls } = offered.length === 0 ? noTools : await tools();
      if (calls !== 'none') return [];
      const message = 'The model of this browser takes no tools: it is not offered.';
      return offered.map(({ name }) => ({ tool: name, message }));
    },
    availability,
    download: (how = {}) => {
      const api: LanguageModelApi | undefined = model();
      return api === undefined ? Promise.reject(notReady('unavailable')) : download(api, options, how);
    },
  };
}

function notReady(availability: Availability): AgentSessionError {
  const details = { availability };
  if (availability === 'unavailable') {
    return new AgentSessionError('unsupported', 'This browser has no language model with these options.', {
      details,
    });
  }
  const message =
    availability === 'downloading'
      ? 'The model is still being downloaded to this device.'
      : 'The model is not on this device yet: it has to be downloaded first.';
  return new AgentSessionError('model', message, { details });
}

function noTokenLimit(): AgentSessionError {
  return new AgentSessionError(
    'unsupported',
    'A browser’s model takes no limit for the length of an answer: leave maxTokensPerRound unset.',
  );
}
