import type { SchemaWarning, ToolDefinition } from '@banister/provider';

/** Most characters of a tool's description. */
const LONGEST_DESCRIPTION = 1024;
/** Keywords that the API refuses at the top of a tool's schema. */
const refusedAtTop = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/**
 * Returns warnings about tools that the API would refuse. Servers that imitate the API are often more
 * tolerant.
 */
export function validateTools(tools: readonly ToolDefinition[]): readonly SchemaWarning[] {
  return tools.flatMap((tool) => [
    ...(tool.description.length > LONGEST_DESCRIPTION
      ? [
          {
            tool: tool.name,
            message: `The description is longer than ${LONGEST_DESCRIPTION} characters.`,
          },
        ]
      : []),
    ...(tool.parameters['type'] === 'object'
      ? []
      : [{ tool: tool.name, message: 'The schema must say "type": "object" at its top.' }]),
    ...refusedAtTop
      .filter((keyword) => keyword in tool.parameters)
      .map((keyword) => ({
        tool: tool.name,
        message: `The API refuses "${keyword}" at the top of a schema.`,
      })),
  ]);
}
