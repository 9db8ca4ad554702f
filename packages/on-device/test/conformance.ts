import { providerConformance, type ScenarioAnswer, type TestRunner } from '@banister/testing';
import { onDevice } from '../src/index.js';
import { fakeLanguageModel, type FakeOptions, type Move } from './fake-language-model.js';

const noReason = 'the Prompt API does not say why an answer ended';

/** The suite that every provider passes, over a fake of the browser's model. */
export function onDeviceConformance(name: string, tools: 'closed' | 'open', runner: TestRunner): void {
  providerConformance(
    name,
    (scenario) => {
      const fake = fakeLanguageModel({ tools, images: true, ...toFake(scenario.answer, tools) });
      return {
        provider: onDevice({ languageModel: fake, images: true }),
        // A model that is not downloaded yet is never asked.
        ...(scenario.name === 'unknown-model' ? {} : { requests: () => fake.created.length }),
        openConnections: () => fake.live,
      };
    },
    runner,
    {
      skip: {
        length: noReason,
        refusal: noReason,
        'cut-in-call': 'the browser hands over whole calls only',
        'rate-limit': 'a device has no limit of requests',
        'not-a-stream': 'there is no connection on which something else could answer',
      },
    },
  );
}

function toFake(answer: ScenarioAnswer, tools: 'closed' | 'open'): FakeOptions {
  const { ending, usage } = answer;
  const exception = (name: string) =>
    new DOMException('message' in ending ? ending.message : 'It failed.', name);
  if (ending.kind === 'http-error') {
    switch (ending.status) {
      case 401:
        return { createFails: exception('NotAllowedError') };
      case 404:
        return { availability: 'downloadable' };
      case 400:
        return { contextWindow: 1 };
      default:
        return { createFails: exception('OperationError') };
    }
  }
  const calls = (answer.calls ?? []).map(({ tool, argumentsText }) => ({
    name: tool.replace('.', '_'),
    args: JSON.parse(argumentsText || '{}') as object,
  }));
  const asked: readonly Move[] =
    tools === 'closed'
      ? [{ call: calls }]
      : calls.map(({ name, args }, n) => ({
          chunk: { type: 'tool-call', value: { callId: `c${n}`, name, arguments: args } },
        }));
  const moves: readonly Move[] = [
    ...(answer.thinking ?? []).map((value) => ({ chunk: { type: 'thought', value } })),
    ...(answer.text ?? []),
    ...(calls.length === 0 ? [] : asked),
    ...endOf(ending, exception),
  ];
  if (usage === undefined) return { answers: [moves] };
  // Half of the input is history. Everything that the model says is output.
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return {
    answers: [moves],
    tokens: ([first]) => {
      if (first?.role === 'assistant') return outputTokens;
      return first?.role === 'system' ? Math.floor(inputTokens / 2) : Math.ceil(inputTokens / 2);
    },
  };
}

function endOf(
  { kind }: ScenarioAnswer['ending'],
  exception: (name: string) => DOMException,
): readonly Move[] {
  switch (kind) {
    case 'stall':
      return ['stall'];
    case 'cut':
      return ['destroy'];
    case 'error-event':
      return [{ fail: exception('UnknownError') }];
    default:
      return [];
  }
}
