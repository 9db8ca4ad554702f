import {
  fieldsOf,
  isImageUrl,
  isObjectText,
  isPdfUrl,
  isText,
  listOf,
  type Fields,
  type Say,
} from './request-fields.js';
import { namedFormatProblems } from './format-problems.js';
import { choiceProblems, commonProblems, nameProblems, toolProblems } from './tool-problems.js';

/** The maximal length of an id on OpenAI's own server; other servers give longer ids. */
const LONGEST_ID = 40;

/** The reasons why a Chat Completions server refuses a request. As strict as the strictest server with this API. */
export function chatProblems(body: Fields, say: Say): void {
  commonProblems(body, say);
  const messages = listOf(body['messages']).map(fieldsOf);
  if (messages.length === 0) say('messages', 'there are no messages');
  messages.forEach((message, position) => messageProblems(message, `messages[${position}]`, say));
  orderProblems(messages, say);
  toolsProblems(body, say);
  const { type, json_schema: format } = fieldsOf(body['response_format']);
  if (type === 'json_schema') namedFormatProblems('response_format.json_schema', fieldsOf(format), say);
}

function toolsProblems(body: Fields, say: Say): void {
  const tools = listOf(body['tools']).map(fieldsOf);
  const functions = tools.map(({ function: one }) => fieldsOf(one));
  const offered = functions.map(({ name, parameters, strict }, index) => ({
    place: `tools[${index}].function`,
    name,
    schema: parameters ?? { type: 'object' },
    schemaField: 'parameters',
    strict: strict === true,
  }));
  toolProblems(offered, say);
  const names = new Set(offered.map(({ name }) => name));
  const choice = body['tool_choice'];
  if (choice !== undefined && choice !== 'none')
    choiceProblems({ name: fieldsOf(fieldsOf(choice)['function'])['name'] }, names, say);
  if (body['parallel_tool_calls'] !== undefined && names.size === 0)
    say('parallel_tool_calls', 'there are no tools to call');
}

function messageProblems(message: Fields, place: string, say: Say): void {
  const { role, content } = message;
  switch (role) {
    case 'system':
    case 'developer':
    case 'tool':
      textProblems(content, `${place}.content`, say);
      return;
    case 'user':
      if (Array.isArray(content)) partsProblems(content, `${place}.content`, say);
      else textProblems(content, `${place}.content`, say);
      return;
    case 'assistant':
      assistantProblems(message, place, say);
      return;
    default:
      say(`${place}.role`, `${JSON.stringify(role)} is no role`);
  }
}

function textProblems(content: unknown, place: string, say: Say): void {
  const parts = Array.isArray(content) ? content.map((part) => fieldsOf(part)['text']) : [content];
  if (parts.length === 0 || !parts.every(isText)) say(place, 'there must be text');
}

function partsProblems(parts: readonly unknown[], place: string, say: Say): void {
  if (parts.length === 0) say(place, 'there are no parts');
  parts.map(fieldsOf).forEach(({ type, text, image_url: image, file }, index) => {
    if (type === 'file') fileProblems(fieldsOf(file), `${place}[${index}]`, say);
    if (type === 'text' && !isText(text)) say(`${place}[${index}]`, 'there must be text');
    if (type === 'image_url' && !isImageUrl(fieldsOf(image)['url']))
      say(`${place}[${index}]`, 'it is neither an image in base64 nor an address');
  });
}

function fileProblems({ file_id: id, file_data: data, filename }: Fields, place: string, say: Say): void {
  if (isText(id)) return;
  if (!isPdfUrl(data)) say(place, 'it is neither a PDF in base64 nor the id of a file');
  if (!isText(filename)) say(place, 'a file must have a name');
}

function assistantProblems({ content, tool_calls: calls, refusal }: Fields, place: string, say: Say): void {
  if (calls === undefined && !isText(refusal)) textProblems(content, `${place}.content`, say);
  if (calls === undefined) return;
  if (listOf(calls).length === 0) say(`${place}.tool_calls`, 'the list is empty');
  listOf(calls)
    .map(fieldsOf)
    .forEach(({ id, type, function: called }, index) => {
      const call = `${place}.tool_calls[${index}]`;
      const { name, arguments: args } = fieldsOf(called);
      if (!isText(id) || id.length > LONGEST_ID)
        say(`${call}.id`, `an id of a call has 1 to ${LONGEST_ID} characters`);
      if (type !== 'function') return;
      nameProblems(`${call}.function.name`, name, say);
      if (!isObjectText(args)) say(`${call}.function.arguments`, 'the arguments are no JSON object');
    });
}

/** Calls must be answered at once, each exactly once. User and assistant must take turns, and the user has the last word. */
function orderProblems(messages: readonly Fields[], say: Say): void {
  const known = new Set<unknown>();
  let unanswered = new Set<unknown>();
  let last: unknown;
  messages.forEach(({ role, tool_calls: calls, tool_call_id: answers }, position) => {
    const place = `messages[${position}]`;
    if (role === 'tool') {
      if (!unanswered.delete(answers))
        say(
          place,
          known.has(answers)
            ? `call "${String(answers)}" is answered already, or not at once`
            : `there is no call "${String(answers)}" before it`,
        );
      last = role;
      return;
    }
    if (unanswered.size > 0) say(place, `No tool output found for ${listed(unanswered)}`);
    unanswered = new Set();
    if ((role === 'user' || role === 'assistant') && role === last)
      say(place, `two messages of the ${role} in a row`);
    if (role === 'assistant' && (last === undefined || last === 'system'))
      say(place, 'the user must speak before the assistant does');
    for (const { id } of listOf(calls).map(fieldsOf)) {
      if (known.has(id)) say(place, `call id "${String(id)}" is used twice`);
      known.add(id);
      unanswered.add(id);
    }
    last = role;
  });
  if (unanswered.size > 0) say('messages', `No tool output found for ${listed(unanswered)}`);
  else if (last === 'assistant') say('messages', 'the last message must be from the user, or a tool result');
}

function listed(ids: Iterable<unknown>): string {
  return `tool call ${[...ids].map(String).join(', ')}`;
}
