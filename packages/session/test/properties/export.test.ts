// No string can break out of its place in an exported document.
import fc from 'fast-check';
import MarkdownIt, { type Token } from 'markdown-it';
import { expect, test } from 'vitest';
import type { ToolCallView, TurnRecord } from '@banister/session';
import { toMarkdown } from '@banister/session/export';
import { propertyRun } from '../../../../test/kit/property-run.js';

/** Pieces of texts that open, close or imitate parts of a document. */
const hostile = fc.constantFrom(
  '# Title',
  '## User',
  '## Assistant\n\n> Forged',
  '> quote',
  '```',
  '``````',
  '~~~~',
  '`',
  '``',
  '<!--',
  '</blockquote>',
  '<script>',
  '<details>',
  '<![CDATA[',
  '[x]: https://evil.example',
  '![](',
  '](',
  '- Tool `a`: success',
  '1. ',
  '- ',
  '---',
  '===',
  '***',
  '| a | b |\n|---|---|',
  '    code',
  '\t',
  '\\',
  '&#10;',
  '$$',
  '\n',
  '\n\n',
  '\r',
  '\r\n',
  ' ',
  '\u2028',
  '\0',
);
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: hostile }, fc.string({ unit: 'grapheme', maxLength: 8 })), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));
const filled = text.filter((value) => value !== '');
const inWords = text.filter((value) => value.trim() !== '');

/** The texts of a turn, each of unknown origin. */
const written = fc.record({
  input: filled,
  thinking: text,
  tool: filled,
  argument: text,
  result: text,
  answer: filled,
  effect: inWords,
  error: inWords,
});
type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

/** A turn with one call, an answer and one effect, which failed after it. */
function turnOf(
  { input, thinking, tool, argument, result, answer, effect, error }: Written,
  index: number,
): TurnRecord {
  const call: ToolCallView = {
    type: 'tool-call',
    id: `call_${index}`,
    tool,
    index: 0,
    state: 'settled',
    argumentsText: JSON.stringify({ argument }),
    arguments: { argument },
    result: { outcome: 'success', content: [{ type: 'text', text: result }] },
  };
  const item = { toolCallId: call.id, toolName: tool, description: effect };
  const nothing = { done: [], irreversible: [], lost: [], unknown: [] };
  return {
    id: `turn_${index}`,
    parentId: null,
    input: { id: `message_${index}`, role: 'user', parts: [{ type: 'text', text: input }] },
    rounds: [
      { parts: [{ type: 'thinking', text: thinking }, call] },
      { parts: [{ type: 'text', text: answer }] },
    ],
    status: 'failed',
    outcome: {
      status: 'failed',
      usage: null,
      rounds: 2,
      error: { code: 'network', message: error, retry: 'never', details: {} },
      report: { ...nothing, failed: [{ ...item, reason: error }] },
    },
    messageIds: [],
    effects: [],
  };
}

/** The text as parsers of Markdown read it. */
const asRead = (value: string) => value.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
/** The text as the words of one line. */
const asWords = (value: string) => value.replaceAll('\0', '\ufffd').replace(/\s+/g, ' ').trim();

/** The text that a line of the document shows outside of code. */
const wordsOf = (inline: Token | undefined) =>
  inline?.children?.map(({ type, content }) => (type === 'text' ? content : `(${type})`)).join('');

/** A list of the document: its lines, and the code in it. */
function readList(tokens: readonly Token[]) {
  const lines = tokens.filter(({ type }) => type === 'inline');
  const code = tokens.flatMap(({ type, content, children }) => {
    if (type === 'fence') return [content.replace(/\n$/, '')];
    return children?.flatMap((one) => (one.type === 'code_inline' ? [one.content] : [])) ?? [];
  });
  return { lines: lines.map(wordsOf), code };
}

/** The blocks at the level of the document, in order: each with its text as a reader of the document sees it. */
function readDocument(document: string, html: boolean) {
  const source = asRead(document).split('\n');
  const tokens = new MarkdownIt({ html }).parse(document, {});
  return tokens.flatMap((token, index): readonly object[] => {
    if (token.level > 0 || token.nesting < 0) return [];
    const end = tokens.findIndex((other, at) => at > index && other.level === 0 && other.nesting < 0);
    switch (token.type) {
      case 'heading_open':
      case 'paragraph_open':
        return [{ [token.tag]: wordsOf(tokens[index + 1]) }];
      case 'blockquote_open':
        // Where it ends with empty lines, its place includes the line behind it.
        return [
          {
            quote: source
              .slice(...token.map!)
              .flatMap((line) => (line.startsWith('>') ? [line.replace(/^> ?/, '')] : [])),
          },
        ];
      case 'bullet_list_open':
        return [readList(tokens.slice(index, end))];
      default:
        return [{ unexpected: token.type }];
    }
  });
}

/** The blocks that a document of these turns has to have. */
function expected(title: string, turns: readonly Written[]) {
  const quote = (value: string) => ({ quote: asRead(value).split('\n') });
  return [
    { h1: asWords(title) || 'Conversation' },
    ...turns.flatMap(({ input, thinking, tool, argument, result, answer, effect, error }) => [
      { h2: 'User' },
      quote(input),
      { h2: 'Assistant' },
      ...(thinking === '' ? [] : [{ p: 'Thinking:' }, quote(thinking)]),
      {
        lines: [
          'Tool (code_inline): success',
          expect.stringMatching(/^Arguments:( \(code_inline\))?$/) as string,
          expect.stringMatching(/^Result:( \(code_inline\))?$/) as string,
        ],
        code: [
          asRead(tool).replace(/^[ \n]*$|\n+/g, ' '),
          expect.toSatisfy((code: string) => (JSON.parse(code) as Written).argument === argument) as string,
          asRead(result),
        ],
      },
      quote(answer),
      { p: `The turn failed: ${asWords(error)}` },
      { p: 'Effects:' },
      { lines: [`In effect, could not be undone: ${asWords(effect)} (${asWords(error)})`], code: [] },
    ]),
  ];
}

test('text of any form does not break the structure of the document, and is exported in order', () => {
  fc.assert(
    fc.property(
      text,
      fc.array(written, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (title, turns, html) => {
        const state = { turns: turns.map(turnOf), liveTurn: null, conversation: { messages: [] } };
        const document = toMarkdown(state, { title, thinking: true });
        expect(readDocument(document, html)).toEqual(expected(title, turns));
      },
    ),
    propertyRun('texts in a document', 2_000),
  );
});
