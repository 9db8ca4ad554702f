import type {
  ErrorCode,
  FinishReason,
  Message,
  ProviderRequest,
  ToolDefinition,
  UsageReport,
} from '@banister/provider';
import { deepFrozen } from './deep-frozen.js';

/** A tool call that the model makes in a scenario. */
export interface ScenarioCall {
  /** The provider's id of the call. */
  readonly id: string;
  /** `domain.tool`; convert it to the API's form as the adapter does. */
  readonly tool: string;
  readonly argumentsText: string;
}

/** Finish reasons that every API has. */
type AnyApiReason = Exclude<FinishReason, 'approval'>;

/** How the server's answer ends. */
export type ScenarioEnding =
  /** A whole answer. The API marks its end with this reason. */
  | { readonly kind: 'finish'; readonly reason: AnyApiReason }
  /** The connection closes normally, without the API's end mark. */
  | { readonly kind: 'cut' }
  /** Nothing follows; the connection stays open until the client closes it. */
  | { readonly kind: 'stall' }
  /** The API's error event, in the middle of a stream that began with status 200. */
  | { readonly kind: 'error-event'; readonly message: string }
  /** An HTTP error instead of a stream. */
  | {
      readonly kind: 'http-error';
      readonly status: number;
      readonly message: string;
      /** The API's name for the kind of error, if one status stands for several kinds. */
      readonly type?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Status 200 with a body that is not a stream: an HTML page. */
  | { readonly kind: 'not-a-stream' };

/** How the model API answers in a scenario; the same for every request. */
export interface ScenarioAnswer {
  /** Reasoning before the text, in pieces. */
  readonly thinking?: readonly string[];
  /** Text, in pieces. */
  readonly text?: readonly string[];
  /** Tool calls after the text. */
  readonly calls?: readonly ScenarioCall[];
  /** Usage, as the API reports it. */
  readonly usage?: UsageReport;
  readonly ending: ScenarioEnding;
}

/** A situation that a provider must handle. */
export interface ProviderScenario {
  readonly name: ProviderScenarioName;
  /** What is tested, in words. */
  readonly description: string;
  /** The request that the suite makes. */
  readonly request: ProviderRequest;
  /** The answer of the server. */
  readonly answer: ScenarioAnswer;
  /** The error must have one of these codes. */
  readonly codes?: readonly ErrorCode[];
}

export type ProviderScenarioName =
  | 'text'
  | 'usage'
  | 'thinking'
  | 'two-tool-calls'
  | 'call-without-arguments'
  | 'follow-up'
  | 'reused-call-ids'
  | 'consecutive-user-messages'
  | 'image'
  | 'length'
  | 'refusal'
  | 'cut'
  | 'cut-in-call'
  | 'stall'
  | 'silence'
  | 'error-event'
  | 'auth'
  | 'unknown-model'
  | 'rate-limit'
  | 'context-length'
  | 'server-error'
  | 'not-a-stream';

const tools: readonly ToolDefinition[] = [
  {
    name: 'board.add_card',
    description: 'Adds a card to a column.',
    parameters: {
      type: 'object',
      properties: { column: { type: 'string' }, title: { type: 'string' } },
      required: ['column', 'title'],
    },
  },
  {
    name: 'board.list_cards',
    description: 'Lists all cards.',
    parameters: { type: 'object', properties: {} },
  },
];

const hello: Message = { id: 'message_1', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] };

function request(...messages: readonly Message[]): ProviderRequest {
  return { system: 'You help with a board of cards.', messages, tools, idempotencyKey: 'key-1' };
}

const finish = (reason: AnyApiReason): ScenarioEnding => ({ kind: 'finish', reason });
const twoCalls: readonly ScenarioCall[] = [
  { id: 'wire_1', tool: 'board.add_card', argumentsText: '{"column":"Todo","title":"Milk \\u2013 1 l"}' },
  { id: 'wire_2', tool: 'board.add_card', argumentsText: '{"column":"Done","title":"Тест 🧪"}' },
];

/** A call and its result, as they are in the history. */
function exchange(callId: string, providerCallId: string): readonly Message[] {
  return [
    {
      id: `message_of_${callId}`,
      role: 'assistant',
      parts: [
        { type: 'text', text: 'I look.' },
        {
          type: 'tool-call',
          id: callId,
          providerCallId,
          tool: 'board.list_cards',
          argumentsText: '',
          arguments: {},
        },
      ],
    },
    {
      id: `results_of_${callId}`,
      role: 'user',
      parts: [
        { type: 'tool-result', callId, outcome: 'success', content: [{ type: 'json', value: ['Milk'] }] },
      ],
    },
  ];
}

/** A red pixel. */
const image = {
  type: 'image',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
} as const;

const answered: ScenarioAnswer = { text: ['Done.'], ending: finish('stop') };

const scenarios: { readonly [N in ProviderScenarioName]: Omit<ProviderScenario, 'name'> } = {
  text: {
    description: 'streams text, piece by piece, to its finish',
    request: request(hello),
    answer: { text: ['Hel', 'lo, ', 'wörld 🌍', '\n\n', 'Bye.'], ending: finish('stop') },
  },
  usage: {
    description: 'reports what the answer used',
    request: request(hello),
    answer: { text: ['Hello.'], usage: { inputTokens: 21, outputTokens: 4 }, ending: finish('stop') },
  },
  thinking: {
    description: 'streams reasoning before the text',
    request: request(hello),
    answer: { thinking: ['They ', 'greet.'], text: ['Hello.'], ending: finish('stop') },
  },
  'two-tool-calls': {
    description: 'streams two calls of one answer',
    request: request(hello),
    answer: { calls: twoCalls, ending: finish('tool-calls') },
  },
  'call-without-arguments': {
    description: 'streams a call of a tool without parameters',
    request: request(hello),
    answer: {
      calls: [{ id: 'wire_1', tool: 'board.list_cards', argumentsText: '' }],
      ending: finish('tool-calls'),
    },
  },
  'follow-up': {
    description: 'sends calls and results back',
    request: request(hello, ...exchange('call_1', 'wire_1')),
    answer: answered,
  },
  'reused-call-ids': {
    description: 'sends a history whose provider used one call id twice',
    request: request(hello, ...exchange('call_1', 'wire_1'), ...exchange('call_2', 'wire_1')),
    answer: answered,
  },
  'consecutive-user-messages': {
    description: 'sends results and further user messages in a row',
    request: request(
      hello,
      ...exchange('call_1', 'wire_1'),
      { id: 'message_8', role: 'user', parts: [{ type: 'text', text: 'And?' }] },
      { id: 'message_9', role: 'user', parts: [{ type: 'text', text: 'Well?' }] },
    ),
    answer: answered,
  },
  image: {
    description: 'sends an image',
    request: request({
      id: 'message_1',
      role: 'user',
      parts: [{ type: 'text', text: 'What is this?' }, image],
    }),
    answer: answered,
  },
  length: {
    description: 'tells that the token limit cut the answer',
    request: request(hello),
    answer: { text: ['This is cut in the mid'], ending: finish('length') },
  },
  refusal: {
    description: 'tells that the model refused',
    request: request(hello),
    answer: { text: ['I cannot help with that.'], ending: finish('refusal') },
  },
  cut: {
    description: 'calls an answer interrupted that merely ends',
    request: request(hello),
    answer: { text: ['Half an ans'], ending: { kind: 'cut' } },
    codes: ['interrupted', 'network'],
  },
  'cut-in-call': {
    description: 'calls an answer interrupted that ends in a call',
    request: request(hello),
    answer: {
      calls: [{ id: 'wire_1', tool: 'board.add_card', argumentsText: '{"column":"Todo","ti' }],
      ending: { kind: 'cut' },
    },
    codes: ['interrupted', 'network'],
  },
  stall: {
    description: 'ends a stalled stream at once when aborted, and closes the connection',
    request: request(hello),
    answer: { text: ['Let me think'], ending: { kind: 'stall' } },
  },
  silence: {
    description: 'ends a stream on which nothing came at once when aborted, and closes the connection',
    request: request(hello),
    answer: { ending: { kind: 'stall' } },
  },
  'error-event': {
    description: 'fails when the API reports an error in the stream',
    request: request(hello),
    answer: { text: ['Half an ans'], ending: { kind: 'error-event', message: 'The model has a problem.' } },
    codes: ['server', 'overloaded', 'interrupted'],
  },
  auth: {
    description: 'fails with auth when the key is wrong',
    request: request(hello),
    answer: { ending: { kind: 'http-error', status: 401, message: 'Incorrect API key provided.' } },
    codes: ['auth'],
  },
  'unknown-model': {
    description: 'fails with model when the model does not exist',
    request: request(hello),
    answer: {
      ending: { kind: 'http-error', status: 404, type: 'model_not_found', message: 'No such model.' },
    },
    codes: ['model'],
  },
  'rate-limit': {
    description: 'fails with rate-limit, and says how long to wait',
    request: request(hello),
    answer: { ending: { kind: 'http-error', status: 429, message: 'Slow down.', retryAfterSeconds: 7 } },
    codes: ['rate-limit'],
  },
  'context-length': {
    description: 'fails with context-length when the conversation is too long',
    request: request(hello),
    answer: {
      ending: {
        kind: 'http-error',
        status: 400,
        type: 'context_length_exceeded',
        message: 'The prompt is too long.',
      },
    },
    codes: ['context-length'],
  },
  'server-error': {
    description: 'fails with server when the API has a fault',
    request: request(hello),
    answer: { ending: { kind: 'http-error', status: 500, message: 'Internal error.' } },
    codes: ['server'],
  },
  'not-a-stream': {
    description: 'fails when something else answers with status 200',
    request: request(hello),
    answer: { ending: { kind: 'not-a-stream' } },
    codes: ['server', 'network', 'interrupted', 'provider-contract'],
  },
};

/**
 * All scenarios of the provider conformance suite, for a server that plays them.
 *
 * @example
 * for (const { name, answer } of providerScenarios) console.log(name, answer.ending.kind);
 */
export const providerScenarios: readonly ProviderScenario[] = Object.entries(deepFrozen(scenarios)).map(
  ([name, scenario]) => ({
    name: name as ProviderScenarioName,
    ...scenario,
  }),
);
