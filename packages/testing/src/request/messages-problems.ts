import { fieldsOf, isBase64, isText, listOf, type Fields, type Say } from './request-fields.js';
import { outputConfigProblems } from './format-problems.js';
import { choiceProblems, commonProblems, nameProblems, toolProblems } from './tool-problems.js';

/** A block of a message, and its place in the request. */
interface Placed {
  readonly block: Fields;
  readonly place: string;
  readonly message: number;
}

/** The image types that the API accepts. */
const mediaTypes: readonly unknown[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** How many parts of a request may have a cache mark. */
const MOST_MARKS = 4;
/** The smallest budget for thinking that the API accepts, in tokens. */
const SMALLEST_BUDGET = 1_024;

/** The reasons why the Messages API refuses a request. */
export function messagesProblems(body: Fields, say: Say): void {
  commonProblems(body, say);
  const messages = listOf(body['messages']).map(fieldsOf);
  systemProblems(body['system'], say);
  roleProblems(messages, say);
  const blocks = messages.flatMap(placedBlocks);
  for (const { block, place, message } of blocks)
    blockProblems(block, place, messages[message]?.['role'] === 'user', say);
  messages.forEach((message, position) => contentProblems(message, `messages[${position}]`, say));
  answerProblems(messages, say);
  serverToolProblems(blocks, messages, say);
  budgetProblems(body, say);
  toolsProblems(body, say);
  outputConfigProblems(fieldsOf(body['output_config']), say);
  markProblems(body, blocks, say);
}

function placedBlocks({ content }: Fields, message: number): readonly Placed[] {
  return listOf(content).map((block, index) => ({
    block: fieldsOf(block),
    place: `messages[${message}].content[${index}]`,
    message,
  }));
}

function systemProblems(system: unknown, say: Say): void {
  if (system === undefined || isText(system)) return;
  const blocks = listOf(system).map(fieldsOf);
  if (blocks.length === 0 || !blocks.every(({ type, text }) => type === 'text' && isText(text)))
    say('system', 'text content blocks must contain non-whitespace text');
}

/** User and assistant must take turns, and the user begins. */
function roleProblems(messages: readonly Fields[], say: Say): void {
  if (messages.length === 0) say('messages', 'there are no messages');
  messages.forEach(({ role }, position) => {
    const place = `messages[${position}]`;
    if (role !== 'user' && role !== 'assistant') say(`${place}.role`, `${JSON.stringify(role)} is no role`);
    if (position === 0 && role !== 'user') say(place, 'the first message must be from the user');
    if (position > 0 && role === messages[position - 1]?.['role'])
      say(place, `two messages of the ${String(role)} in a row`);
  });
}

/** A message must have content, and an assistant message must not end with thinking. */
function contentProblems({ role, content }: Fields, place: string, say: Say): void {
  if (!Array.isArray(content)) {
    if (!isText(content)) say(`${place}.content`, 'there must be text that is more than white space');
    return;
  }
  if (content.length === 0) say(`${place}.content`, 'the list is empty');
  const last = fieldsOf(content.at(-1));
  if (role === 'assistant' && isThinking(last)) say(place, 'the final block cannot be thinking');
}

function isThinking({ type }: Fields): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function blockProblems(block: Fields, place: string, isUser: boolean, say: Say): void {
  switch (block['type']) {
    case 'text':
      if (!isText(block['text'])) say(place, 'text content blocks must contain non-whitespace text');
      return;
    case 'image':
      if (!isUser) say(place, 'an assistant message cannot hold images');
      imageProblems(fieldsOf(block['source']), place, say);
      return;
    case 'document':
      if (!isUser) say(place, 'an assistant message cannot hold documents');
      documentProblems(fieldsOf(block['source']), place, say);
      return;
    case 'thinking':
      if (isUser) say(place, 'a user message cannot think');
      if (typeof block['thinking'] !== 'string' || !isText(block['signature']))
        say(place, 'thinking goes back with its signature, or not at all');
      return;
    case 'redacted_thinking':
      if (isUser) say(place, 'a user message cannot think');
      if (!isText(block['data'])) say(place, 'there must be data');
      return;
    case 'tool_use':
      if (isUser) say(place, 'a user message cannot call tools');
      nameProblems(`${place}.name`, block['name'], say);
      if (typeof block['input'] !== 'object' || block['input'] === null || Array.isArray(block['input']))
        say(`${place}.input`, 'the input is no object');
      idProblems(`${place}.id`, block['id'], say);
      return;
    case 'tool_result':
      if (!isUser) say(place, 'tool results belong into user messages');
      resultProblems(block, place, say);
      return;
    default:
      if (!isText(block['type'])) say(place, 'a block has no type');
  }
}

function idProblems(place: string, id: unknown, say: Say): void {
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
    say(place, `${JSON.stringify(id)} does not match '^[a-zA-Z0-9_-]+$'`);
}

function imageProblems({ type, media_type: mediaType, data, url }: Fields, place: string, say: Say): void {
  if (type === 'url') {
    if (!isText(url)) say(place, 'an image has no address');
  } else if (type === 'base64') {
    if (!mediaTypes.includes(mediaType))
      say(place, `${JSON.stringify(mediaType)} is no image that can be read`);
    if (!isBase64(data)) say(place, 'an image is not base64');
  }
}

function documentProblems({ type, media_type: mediaType, data }: Fields, place: string, say: Say): void {
  if (type !== 'base64') return;
  if (mediaType !== 'application/pdf')
    say(place, `${JSON.stringify(mediaType)} is no document that can be read`);
  if (!isBase64(data)) say(place, 'a document is not base64');
}

function resultProblems({ content, is_error: isError }: Fields, place: string, say: Say): void {
  if (content === undefined || typeof content === 'string') {
    if (isError === true && !isText(content)) say(place, 'an error must say something');
    return;
  }
  listOf(content)
    .map(fieldsOf)
    .forEach((block, index) => {
      blockProblems(block, `${place}.content[${index}]`, true, say);
      if (isError === true && block['type'] !== 'text')
        say(place, "all content must be type 'text' if 'is_error' is true");
    });
}

/** The next message must answer all calls of a message, each exactly once, before anything else. */
function answerProblems(messages: readonly Fields[], say: Say): void {
  const known = new Set<unknown>();
  let unanswered = new Set<unknown>();
  messages.forEach(({ content }, position) => {
    const blocks = listOf(content).map(fieldsOf);
    let hasSpoken = false;
    blocks.forEach(({ type, tool_use_id: answers }, index) => {
      const place = `messages[${position}].content[${index}]`;
      if (type !== 'tool_result') hasSpoken = true;
      else if (hasSpoken) say(place, 'tool results must come before everything else in the message');
      if (type === 'tool_result' && !unanswered.delete(answers))
        say(
          place,
          known.has(answers)
            ? `each tool_use must have a single result, at once: ${String(answers)}`
            : `unexpected 'tool_use_id': ${String(answers)}`,
        );
    });
    if (unanswered.size > 0)
      say(
        `messages[${position}]`,
        `tool_use ids were found without tool_result blocks: ${[...unanswered].join(', ')}`,
      );
    unanswered = new Set();
    for (const { type, id } of blocks) {
      if (type !== 'tool_use') continue;
      if (known.has(id)) say(`messages[${position}]`, `tool_use ids must be unique: ${String(id)}`);
      known.add(id);
      unanswered.add(id);
    }
  });
  if (unanswered.size > 0)
    say('messages', `tool_use ids were found without tool_result blocks: ${[...unanswered].join(', ')}`);
}

/**
 * A call that the server runs itself must have its result after it. Exception: the server still owes the result, because it paused this
 * message, or because the request brings results of client calls in the same message.
 */
function serverToolProblems(blocks: readonly Placed[], messages: readonly Fields[], say: Say): void {
  const called = new Set<unknown>();
  const answered = new Set(
    blocks.filter(({ block }) => isServerResult(block)).map(({ block }) => block['tool_use_id']),
  );
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const isOwed =
    last === messages.length - 1 ||
    listOf(messages[last]?.['content']).some((block) => fieldsOf(block)['type'] === 'tool_use');
  for (const { block, place, message } of blocks) {
    const { type, id, tool_use_id: answers } = block;
    if (isServerResult(block) && !called.has(answers))
      say(place, `${String(type)} without its call: ${String(answers)}`);
    if (type === 'tool_use' || !String(type).endsWith('_tool_use')) continue;
    if (!answered.has(id) && !(isOwed && message === last))
      say(place, `${String(type)} was found without its result: ${String(id)}`);
    called.add(id);
  }
}

function isServerResult({ type, tool_use_id: answers }: Fields): boolean {
  return answers !== undefined && type !== 'tool_result';
}

function budgetProblems(body: Fields, say: Say): void {
  const { max_tokens: most, temperature, messages } = body;
  const { type, budget_tokens: budget } = fieldsOf(body['thinking']);
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 1)
    say('max_tokens', 'it must be a whole number from 1');
  const choice = fieldsOf(body['tool_choice'])['type'];
  const thinks = type === 'enabled' || type === 'adaptive';
  if (thinks && (choice === 'any' || choice === 'tool'))
    say('tool_choice', 'a model that thinks cannot be forced to use a tool');
  if (type !== 'enabled') return;
  if (typeof budget !== 'number' || budget < SMALLEST_BUDGET || budget >= Number(most))
    say('thinking.budget_tokens', `it must be at least ${SMALLEST_BUDGET}, and less than max_tokens`);
  if (temperature !== undefined && temperature !== 1)
    say('temperature', 'it must be 1 where the model thinks');
  if (fieldsOf(listOf(messages).at(-1))['role'] === 'assistant')
    say('messages', 'an answer cannot be begun for a model that thinks');
}

function toolsProblems(body: Fields, say: Say): void {
  const tools = listOf(body['tools']).map(fieldsOf);
  const offered = tools.flatMap(({ type, name, input_schema: schema }, index) =>
    type === undefined || type === 'custom'
      ? [{ place: `tools[${index}]`, name, schema, schemaField: 'input_schema', strict: false }]
      : [],
  );
  toolProblems(offered, say);
  const { type, name } = fieldsOf(body['tool_choice']);
  if (type === undefined || type === 'none') return;
  choiceProblems(
    { name: type === 'tool' ? name : undefined },
    new Set(tools.map((tool) => tool['name'])),
    say,
  );
}

function markProblems(body: Fields, blocks: readonly Placed[], say: Say): void {
  const everything = [
    ...listOf(body['tools']).map((tool, index) => ({ block: fieldsOf(tool), place: `tools[${index}]` })),
    ...listOf(body['system']).map((block, index) => ({ block: fieldsOf(block), place: `system[${index}]` })),
    ...blocks,
  ];
  const marked = everything.filter(({ block }) => (block['cache_control'] ?? null) !== null);
  if (marked.length > MOST_MARKS)
    say('cache_control', `A maximum of ${MOST_MARKS} blocks may be marked; found ${marked.length}`);
  let hadShort = false;
  for (const { block, place } of marked) {
    const { type, ttl = '5m' } = fieldsOf(block['cache_control']);
    if (type !== 'ephemeral' || (ttl !== '5m' && ttl !== '1h'))
      say(place, 'a mark is ephemeral, for 5m or 1h');
    if (isThinking(block)) say(place, 'thinking cannot be marked');
    if (ttl === '1h' && hadShort) say(place, 'a mark for an hour cannot stand behind one for five minutes');
    hadShort ||= ttl === '5m';
  }
}
