// T2: a schema may stand in a variable, come from a file or from a server of tools.
import { defineDomain, defineTool, type JsonObject } from '@banister/session';
import imported from './schema.json' with { type: 'json' };
import { expectTypeOf } from 'vitest';

/** As the SDK of the Model Context Protocol types it. */
interface RemoteTool {
  readonly name: string;
  readonly description?: string;
  inputSchema: {
    [key: string]: unknown;
    type: 'object';
    properties?: { [key: string]: object };
    required?: string[];
  };
}
declare const remote: RemoteTool;

const widened = {
  type: 'object',
  properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['title'],
  additionalProperties: false,
};

const inVariable = defineTool({
  name: 'widened',
  description: 'A schema in a variable.',
  parameters: widened,
  execute(args) {
    expectTypeOf(args).toEqualTypeOf<JsonObject>();
    return args['title'];
  },
});
const inFile = defineTool({
  name: 'imported',
  description: 'A schema in a file.',
  parameters: imported,
  execute(args) {
    expectTypeOf(args).toEqualTypeOf<JsonObject>();
  },
});
const onServer = defineTool({
  name: 'remote',
  description: remote.description ?? remote.name,
  parameters: remote.inputSchema,
  execute(args) {
    expectTypeOf(args).toEqualTypeOf<JsonObject>();
  },
});
const literal = defineTool({
  name: 'literal',
  description: 'A schema in its place.',
  parameters: {
    type: 'object',
    properties: { title: { type: 'string' }, count: { type: 'integer' } },
    required: ['title'],
    additionalProperties: false,
  },
  execute(args) {
    expectTypeOf(args).toEqualTypeOf<{ title: string; count?: number }>();
  },
});
const constant = { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } as const;
const inConstant = defineTool({
  name: 'constant',
  description: 'A schema in a constant.',
  parameters: constant,
  execute({ id }) {
    expectTypeOf(id).toEqualTypeOf<number>();
  },
});

defineTool({
  name: 'text',
  description: 'No schema.',
  // @ts-expect-error a text is no schema
  parameters: 'object',
  execute() {},
});

export const domain = defineDomain({
  id: 'board',
  tools: [inVariable, inFile, onServer, literal, inConstant],
});
