import { fieldsOf, listOf, textIn, type Fields } from './json-fields.js';

/** Fields in which bodies without an answer have the words of an error. */
const words = ['message', 'detail', 'error_message', 'error_msg', 'msg', 'error_description'];

/**
 * The error in an event, or in a body that stands in place of events; undefined without one. Servers state errors in a field `error` or
 * `errors`, or mark the whole value as an error.
 */
export function errorIn(value: unknown): unknown {
  const fields = fieldsOf(Array.isArray(value) ? value[0] : value); // Gemini wraps its errors in a list
  const { error, errors, request_id: requestId } = fields;
  const [first] = listOf(errors);
  const stated = error || first;
  if (typeof stated === 'string') return fields;
  if (typeof stated === 'object' && stated !== null) {
    return requestId === undefined ? stated : { ...stated, request_id: requestId };
  }
  // The mark is no type of the error.
  if (fields['type'] === 'error') return { ...fields, type: '' };
  const isMarked =
    [fields['object'], fields['status']].includes('error') || fields['success'] === false || stated;
  return isMarked ? fields : undefined;
}

/** The words that stand alone in a value without an answer: an error, unless an answer arrives. undefined without any. */
export function suspectedError(fields: Fields): Fields | undefined {
  return words.some((name) => textIn(fields[name]) !== '' || listOf(fields[name]).length > 0)
    ? fields
    : undefined;
}
