import { isJsonObject, type ApproveOptions, type Confirmation, type RespondOutcome } from '@handrail/session';
import { strictParse } from '@handrail/session/provider';
import { visibleJson } from '../text/visible-text.js';

/** The arguments of a request, as text to read and edit. */
export function argumentsText({ call }: Confirmation): string {
  return visibleJson(call.arguments);
}

/** Approves a request with the arguments as the user left them; resolves to the errors in them, if there are any. */
export async function approveWith(
  confirmation: Confirmation,
  text: string,
  options: ApproveOptions = {},
): Promise<readonly string[]> {
  if (text === argumentsText(confirmation)) return errorsOf(await confirmation.approve(options));
  const parsed = strictParse(text);
  if (!parsed.ok) return [parsed.message];
  if (!isJsonObject(parsed.value)) return ['The arguments must be a JSON object.'];
  return errorsOf(await confirmation.approve({ ...options, arguments: parsed.value }));
}

function errorsOf(outcome: RespondOutcome): readonly string[] {
  return typeof outcome === 'object' ? outcome.errors : [];
}
