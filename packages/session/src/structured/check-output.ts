import type { JsonObject } from '@banister/provider';
import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { refusal } from '@banister/provider/internal/errors/checked';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { strictParse } from '@banister/provider/internal/json/strict-parse';
import type { Validate } from '@banister/schema';
import type { Ports } from '../ports/ports.js';
import { checkByLibrary, issueTexts } from '../tools/check-arguments.js';
import type { LibrarySchema } from '../tools/tool.js';
import { loadValidator } from '../tools/load-validator.js';
import { invalidOutput } from './output-error.js';
import { withoutWrapping } from './without-wrapping.js';
import { withoutNulls } from './without-nulls.js';

/** The output as JSON and in the form for the caller, or the faults of the text. */
type CheckedOutput =
  | { readonly ok: true; readonly json: JsonObject; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] };

/** Compiles the check of a schema. Rejects with `invalid-configuration` if no check can be compiled. */
export async function compileOutput(
  schema: JsonObject,
  ports: Pick<Ports, 'clock' | 'validator'>,
): Promise<Validate> {
  const validator = await loadValidator(ports);
  try {
    return await validator.compile(schema);
  } catch (error) {
    // A part of the validator could not be loaded, which is not a fault of the schema.
    if (isAgentSessionError(error)) throw error;
    throw refusal(`The schema of the output cannot be checked against: ${messageOf(error)}`);
  }
}

/** Checks the text of a complete answer with the schema, and then with the schema library if the schema comes from one. */
export async function checkOutput(
  text: string,
  schema: JsonObject,
  validate: Validate,
  library: LibrarySchema | null,
): Promise<CheckedOutput> {
  const given = strictParse(text);
  const inside = given.ok ? given : strictParse(withoutWrapping(text));
  const parsed = inside.ok ? inside : given;
  if (!parsed.ok) return { ok: false, issues: [parsed.message.replace(/\.$/, '')] };
  if (!isJsonObject(parsed.value)) return { ok: false, issues: ['it is no JSON object'] };
  let json = withoutNulls(schema, parsed.value);
  const issues = issueTexts(validate(json));
  if (issues.length > 0) {
    // A rule about other properties may require a null.
    if (issueTexts(validate(parsed.value)).length > 0) return { ok: false, issues };
    json = parsed.value;
  }
  if (library === null) return { ok: true, json, value: json };
  const checked = await byLibrary(library, json);
  return checked.ok ? { ok: true, json, value: checked.value } : checked;
}

/** Returns the output as the caller's schema library transforms it. Throws `structured-output-invalid` if the output does not fit. */
export async function transformed(library: LibrarySchema, json: JsonObject): Promise<unknown> {
  const checked = await byLibrary(library, json);
  if (checked.ok) return checked.value;
  throw unfit(checked.issues);
}

async function byLibrary(library: LibrarySchema, json: JsonObject) {
  try {
    return await checkByLibrary(library, json);
  } catch (error) {
    const message = `The check of the schema library failed: ${messageOf(error)}`;
    throw invalidOutput('check-failed', message, { retry: 'never', cause: error });
  }
}

/** Returns the error of an answer that does not fit. */
export function unfit(issues: readonly string[]) {
  return invalidOutput('schema', sentence(`The answer does not fit its schema: ${issues.join('; ')}`), {
    details: { issues },
  });
}
