import { isJsonObject, type Answer, type Confirmation } from '@handrail/session';
import { strictParse } from '@handrail/session/provider';
import { visibleJson } from '../text/visible-text.js';

/** The arguments of a request, as text to read and edit. */
export function argumentsText({ call }: Confirmation): string {
  return visibleJson(call.arguments);
}

/** Approves a request with the arguments as the user left them; what is wrong with them, if anything. */
export function approveWith(confirmation: Confirmation, text: string): readonly string[] {
  if (text === argumentsText(confirmation)) return errorsOf(confirmation.approve());
  const parsed = strictParse(text);
  if (!parsed.ok) return [parsed.message];
  if (!isJsonObject(parsed.value)) return ['The arguments must be a JSON object.'];
  return errorsOf(confirmation.approve({ arguments: parsed.value }));
}

function errorsOf(answer: Answer): readonly string[] {
  return typeof answer === 'object' ? answer.errors : [];
}
