import { isJsonObject, type SchemaWarning, type ToolDefinition } from '@banister/provider';

/** Keywords that the API refuses at the top of a tool's schema. */
const refusedAtTop = ['oneOf', 'anyOf', 'allOf'];
/** Names of properties that the API accepts. */
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Returns warnings about tools that the API would refuse. */
export function validateTools(tools: readonly ToolDefinition[]): readonly SchemaWarning[] {
  return tools.flatMap(({ name, parameters }) => {
    const properties = isJsonObject(parameters['properties']) ? Object.keys(parameters['properties']) : [];
    return [
      ...(parameters['type'] === 'object' ? [] : ['The schema must say "type": "object" at its top.']),
      ...refusedAtTop
        .filter((keyword) => keyword in parameters)
        .map((keyword) => `The API refuses "${keyword}" at the top of a schema.`),
      ...properties
        .filter((property) => !propertyName.test(property))
        .map((property) => `The API refuses "${property}" as the name of a property.`),
    ].map((message) => ({ tool: name, message }));
  });
}
