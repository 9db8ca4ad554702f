import { fieldsOf, listOf, textIn, type Fields } from './json-fields.js';

/** Fields that hold the words of an error in bodies without an answer. */
const words = ['message', 'detail', 'error_message', 'error_msg', 'msg', 'error_description'];

/**
 * Returns the error in an event, or in a body that is sent instead of events; undefined if there is no error.
 * Servers state errors in a field `error` or `errors`, or mark the whole value as an error.
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
  // `error` is only the mark, not the type of the error.
  if (fields['type'] === 'error') return { ...fields, type: '' };
  const isMarked =
    [fields['object'], fields['status']].includes('error') || fields['success'] === false || stated;
  return isMarked ? fields : undefined;
}

/**
 * Returns the fields of a value that has words but no answer: an error, unless an answer arrives later.
 * Returns undefined if there are no words.
 */
export function suspectedError(fields: Fields): Fields | undefined {
  return words.some((name) => textIn(fields[name]) !== '' || listOf(fields[name]).length > 0)
    ? fields
    : undefined;
}
