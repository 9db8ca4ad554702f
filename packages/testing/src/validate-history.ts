import type { JsonValue, Message, MessagePart, ToolCallPart } from '@banister/provider';

export interface ValidateHistoryOptions {
  /**
   * Whether every tool call must be answered, so that the history can be sent. Default true. With `false`, the calls of the last message
   * may still wait for their results.
   */
  readonly closed?: boolean | undefined;
}

/**
 * Returns the reasons why a real model API would refuse a history; empty if the API would accept it. Consecutive user messages are
 * allowed, because adapters merge them, tool results first.
 *
 * @example
 * console.log(validateHistory(session.conversation.value.messages)); // []
 */
export function validateHistory(
  messages: readonly Message[],
  { closed = true }: ValidateHistoryOptions = {},
): readonly string[] {
  const problems: string[] = [];
  const messageIds = new Set<string>();
  const callIds = new Set<string>();
  /** Calls of the previous assistant message, which this message must answer. */
  let unanswered: ReadonlySet<string> = new Set();

  messages.forEach((message, position) => {
    const say = (problem: string) => problems.push(`messages[${position}] (${message.role}): ${problem}`);
    const previous = messages[position - 1];
    if (position === 0 && message.role !== 'user') say('the first message must be from the user');
    if (message.role === 'assistant' && previous?.role === 'assistant')
      say('two assistant messages in a row');
    if (messageIds.has(message.id)) say(`message id "${message.id}" is used twice`);
    messageIds.add(message.id);
    if (message.parts.length === 0) say('it has no parts');
    for (const part of message.parts) partProblems(message, part).forEach(say);

    if (message.role === 'user') answerProblems(message, unanswered, callIds).forEach(say);
    else if (unanswered.size > 0) say(`${listed(unanswered)} must be answered before the assistant goes on`);

    const calls = message.parts.filter((part) => part.type === 'tool-call');
    for (const { id } of calls) {
      if (callIds.has(id)) say(`call id "${id}" is used twice`);
      callIds.add(id);
    }
    unanswered = message.role === 'assistant' ? new Set(calls.map((call) => call.id)) : new Set();
  });

  if (closed && unanswered.size > 0) {
    problems.push(`messages[${messages.length - 1}] (assistant): ${listed(unanswered)} has no result`);
  }
  return problems;
}

/**
 * Throws if a real model API would refuse the history. The message contains the reasons.
 *
 * @example
 * assertValidHistory(session.conversation.value.messages);
 */
export function assertValidHistory(messages: readonly Message[], options?: ValidateHistoryOptions): void {
  const problems = validateHistory(messages, options);
  if (problems.length === 0) return;
  const outline = messages.map(
    (message, position) => `  [${position}] ${message.role}: ${outlineOf(message)}`,
  );
  throw new Error(
    ['No API accepts this history:', ...problems.map((one) => `- ${one}`), ...outline].join('\n'),
  );
}

/** Results must answer exactly the calls of the previous message, once each, before anything else. */
function answerProblems(
  message: Message,
  unanswered: ReadonlySet<string>,
  callIds: ReadonlySet<string>,
): readonly string[] {
  const problems: string[] = [];
  const answered = new Set<string>();
  let other = false;
  for (const part of message.parts) {
    if (part.type !== 'tool-result') {
      other = true;
      continue;
    }
    const { callId } = part;
    if (answered.has(callId)) problems.push(`call "${callId}" has two results`);
    else if (!unanswered.has(callId)) {
      const reason = callIds.has(callId)
        ? 'does not stand right after the message with its call'
        : 'has no call before it';
      problems.push(`the result of "${callId}" ${reason}`);
    }
    if (other) problems.push(`the result of "${callId}" must come before everything else in the message`);
    answered.add(callId);
  }
  const missing = [...unanswered].filter((id) => !answered.has(id));
  if (missing.length > 0) problems.push(`${listed(missing)} must be answered here`);
  return problems;
}

function partProblems(message: Message, part: MessagePart): readonly string[] {
  const { role } = message;
  switch (part.type) {
    case 'text':
      return part.text === '' ? ['a text part is empty'] : [];
    case 'thinking':
      if (role === 'user') return ['a user message cannot think'];
      return part.text === '' && part.signature === undefined ? ['a thinking part is empty'] : [];
    case 'tool-call':
      return role === 'user' ? ['a user message cannot call tools'] : callProblems(part);
    case 'tool-result':
      return role === 'assistant' ? ['tool results belong into user messages'] : [];
    case 'image':
      if (role === 'assistant') return ['an assistant message cannot hold images'];
      return [
        ...(part.mediaType.startsWith('image/') ? [] : [`"${part.mediaType}" is no media type of an image`]),
        ...(isBase64(part.data) ? [] : ['an image is not base64']),
      ];
    case 'attachment':
      if (role === 'assistant') return ['an assistant message cannot hold attachments'];
      return part.id === '' ? ['an attachment has no id'] : [];
    case 'file':
      if (role === 'assistant') return ['an assistant message cannot hold files'];
      return [
        ...(part.mediaType === 'application/pdf'
          ? []
          : [`"${part.mediaType}" is no file that a model reads`]),
        ...(part.name === '' ? ['a file has no name'] : []),
        ...(isBase64(part.data) ? [] : ['a file is not base64']),
      ];
    case 'opaque':
      return part.provider === '' ? ['an opaque part names no provider'] : [];
  }
}

function callProblems(call: ToolCallPart): readonly string[] {
  const { id, tool, argumentsText, arguments: args } = call;
  const problems: string[] = [];
  if (id === '') problems.push('a call has no id');
  if (tool === '') problems.push(`call "${id}" names no tool`);
  if (args === null) return problems;
  if (typeof args !== 'object' || Array.isArray(args)) {
    problems.push(`the arguments of call "${id}" are no object`);
    return problems;
  }
  const written = parsed(argumentsText);
  if (written === undefined) problems.push(`call "${id}" has arguments, but its text is not JSON`);
  else if (!sameJson(written, args)) problems.push(`the arguments of call "${id}" are not those of its text`);
  return problems;
}

/** An empty string means no arguments, because some providers send nothing for a tool without parameters. */
function parsed(text: string): JsonValue | undefined {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map<string, JsonValue>(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)))
  );
}

function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

function listed(ids: Iterable<string>): string {
  return `call ${[...ids].map((id) => `"${id}"`).join(', ')}`;
}

function outlineOf(message: Message): string {
  return message.parts
    .map((part) => {
      if (part.type === 'tool-call') return `${part.type} ${part.id}`;
      return part.type === 'tool-result' ? `${part.type} ${part.callId}` : part.type;
    })
    .join(', ');
}
