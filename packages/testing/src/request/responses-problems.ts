import {
  fieldsOf,
  isImageUrl,
  isPdfUrl,
  isObjectText,
  isText,
  listOf,
  type Fields,
  type Say,
} from './request-fields.js';
import { namedFormatProblems } from './format-problems.js';
import { choiceProblems, commonProblems, nameProblems, toolProblems } from './tool-problems.js';

/** The maximal length of an id on OpenAI's own server. */
const LONGEST_ID = 64;

/** The reasons why a Responses API server refuses a request. As strict as the strictest server with this API. */
export function responsesProblems(body: Fields, say: Say): void {
  commonProblems(body, say);
  const { input, store } = body;
  if (!isText(input) && listOf(input).length === 0) say('input', 'there is no input');
  const items = listOf(input).map(fieldsOf);
  items.forEach((item, position) => itemProblems(item, `input[${position}]`, store === false, say));
  reasoningProblems(items, say);
  callProblems(items, say);
  idProblems(items, say);
  approvalProblems(items, say);
  if (roleOf(items.at(-1)) === 'assistant')
    say('input', 'the last item must be from the user, or a tool result');
  toolsProblems(body, say);
  const format = fieldsOf(fieldsOf(body['text'])['format']);
  if (format['type'] === 'json_schema') namedFormatProblems('text.format', format, say);
}

function toolsProblems(body: Fields, say: Say): void {
  const tools = listOf(body['tools']).map(fieldsOf);
  const offered = tools.flatMap(({ type, name, parameters, strict }, index) =>
    type === 'function'
      ? [
          {
            place: `tools[${index}]`,
            name,
            schema: parameters ?? { type: 'object' },
            schemaField: 'parameters',
            strict: strict === true,
          },
        ]
      : [],
  );
  toolProblems(offered, say);
  const choice = body['tool_choice'];
  if (choice === undefined || choice === 'none') return;
  const { type, name } = fieldsOf(choice);
  const names = new Set<unknown>(tools.map((tool) => tool['name'] ?? tool['type']));
  choiceProblems({ name: type === 'function' || type === 'custom' ? name : undefined }, names, say);
}

/** Each approval request must have one answer after it, and each answer a request. */
function approvalProblems(items: readonly Fields[], say: Say): void {
  const asked = items.flatMap(({ type, id }) => (type === 'mcp_approval_request' ? [id] : []));
  const answered = items.flatMap(({ type, approval_request_id: id }) =>
    type === 'mcp_approval_response' ? [id] : [],
  );
  for (const id of asked)
    if (answered.filter((one) => one === id).length !== 1)
      say('input', `the request for an approval ${String(id)} needs one answer`);
  for (const id of answered)
    if (!asked.includes(id)) say('input', `the answer to ${String(id)} has no request for an approval`);
}

/** The role that an item belongs to; undefined for the output of a tool and for an item without an author. */
function roleOf(item: Fields | undefined): unknown {
  const { type, role } = item ?? {};
  if (type === undefined || type === 'message') return role;
  return isOutput(type) || type === 'mcp_approval_response' ? undefined : 'assistant';
}

function isOutput(type: unknown): boolean {
  return String(type).endsWith('_output');
}

function itemProblems(item: Fields, place: string, isStateless: boolean, say: Say): void {
  const { type = 'message' } = item;
  switch (type) {
    case 'message':
      messageProblems(item, place, say);
      return;
    case 'function_call':
      nameProblems(`${place}.name`, item['name'], say);
      if (!isObjectText(item['arguments'])) say(`${place}.arguments`, 'the arguments are no JSON object');
      return;
    case 'function_call_output':
      outputProblems(item['output'], `${place}.output`, say);
      return;
    case 'reasoning': {
      const isReadable = isText(item['encrypted_content']) || listOf(item['content']).length > 0;
      if (!isReadable && (isStateless || !isText(item['id'])))
        say(place, 'reasoning that the server has not stored must be encrypted, or in plain words');
      return;
    }
    case 'item_reference':
      if (isStateless) say(place, 'it refers to an item that the server has not stored');
      return;
    default:
      if (['in_progress', 'incomplete', 'searching', 'interpreting'].includes(String(item['status'])))
        say(place, `what the server did itself has not ended: ${String(item['status'])}`);
  }
}

function messageProblems({ role, content }: Fields, place: string, say: Say): void {
  if (!['user', 'assistant', 'system', 'developer'].includes(String(role)))
    say(`${place}.role`, `${JSON.stringify(role)} is no role`);
  if (!Array.isArray(content)) {
    if (!isText(content)) say(`${place}.content`, 'there must be text');
    return;
  }
  if (content.length === 0) say(`${place}.content`, 'there are no parts');
  const kinds =
    role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
  content.forEach((part, index) => partProblems(fieldsOf(part), kinds, `${place}.content[${index}]`, say));
}

function outputProblems(output: unknown, place: string, say: Say): void {
  if (Array.isArray(output)) {
    if (output.length === 0) say(place, 'there are no parts');
    const kinds = ['input_text', 'input_image', 'input_file'];
    output.forEach((part, index) => partProblems(fieldsOf(part), kinds, `${place}[${index}]`, say));
  } else if (!isText(output)) say(place, 'there must be text');
}

function partProblems(part: Fields, kinds: readonly string[], place: string, say: Say): void {
  const { type, text, refusal, image_url: url } = part;
  if (!kinds.includes(String(type))) say(place, `${JSON.stringify(type)} does not belong here`);
  else if (type === 'input_image' && !isImageUrl(url) && part['file_id'] === undefined)
    say(place, 'it is neither an image in base64 nor an address');
  else if (type === 'input_file') fileProblems(part, place, say);
  else if (String(type).endsWith('_text') && !isText(text)) say(place, 'there must be text');
  else if (type === 'refusal' && !isText(refusal)) say(place, 'there must be text');
}

function fileProblems(part: Fields, place: string, say: Say): void {
  const { file_id: id, file_url: url, file_data: data, filename } = part;
  if (isText(id) || isText(url)) return;
  if (!isPdfUrl(data)) say(place, 'it is no PDF in base64, no id of a file and no address');
  if (!isText(filename)) say(place, 'a file must have a name');
}

/** Reasoning and the item that it led to must be sent together. */
function reasoningProblems(items: readonly Fields[], say: Say): void {
  items.forEach((item, position) => {
    if (item['type'] !== 'reasoning' || roleOf(items[position + 1]) === 'assistant') return;
    say(
      `input[${position}]`,
      `Item '${String(item['id'])}' of type 'reasoning' was provided without its required following item`,
    );
  });
}

/** Calls must be answered before anything else is said, each exactly once and with the matching kind of item. */
function callProblems(items: readonly Fields[], say: Say): void {
  const kinds = new Map<unknown, string>();
  const unanswered = new Set<unknown>();
  let isAnswering = false;
  const sayUnanswered = (place: string) => {
    if (unanswered.size > 0) say(place, `No tool output found for tool call ${[...unanswered].join(', ')}`);
    unanswered.clear();
  };
  items.forEach((item, position) => {
    const place = `input[${position}]`;
    const { type, call_id: id } = item;
    if (isOutput(type)) {
      const wanted = String(type).slice(0, -'_output'.length);
      if (!unanswered.delete(id))
        say(
          place,
          `${kinds.has(id) ? 'already answered, or not at once' : 'no such call before it'}: ${String(id)}`,
        );
      else if (kinds.get(id) !== wanted) say(place, `call ${String(id)} is no ${wanted}`);
      isAnswering = true;
      return;
    }
    if (isAnswering || roleOf(item) !== 'assistant') sayUnanswered(place);
    isAnswering = false;
    if (id === undefined) {
      if (type === 'function_call') say(`${place}.call_id`, 'a call has no id');
      return;
    }
    if (!isText(id) || id.length > LONGEST_ID)
      say(`${place}.call_id`, `an id of a call has 1 to ${LONGEST_ID} characters`);
    if (kinds.has(id)) say(place, `call id "${String(id)}" is used twice`);
    kinds.set(id, String(type));
    unanswered.add(id);
  });
  sayUnanswered('input');
}

function idProblems(items: readonly Fields[], say: Say): void {
  const ids = new Set<unknown>();
  items.forEach(({ id, type }, position) => {
    if (id === undefined || id === null || type === 'item_reference') return;
    if (ids.has(id)) say(`input[${position}].id`, `Duplicate item found with id ${String(id)}`);
    ids.add(id);
  });
}
