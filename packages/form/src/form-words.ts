/** The words that a form shows to the user. The words of the schema and of the check are not included. */
export interface FormWords {
  /** The option that leaves a value out. */
  readonly notGiven: string;
  /** The option for `null`. */
  readonly none: string;
  readonly yes: string;
  readonly no: string;
  readonly isRequired: string;
  readonly noNumber: string;
  /** The error of a number with more digits than a JavaScript number holds. */
  readonly tooManyDigits: string;
  readonly noDate: string;
  readonly notAmongValues: string;
  /** The error of a row whose name is taken or not allowed. */
  readonly nameTaken: string;
  readonly checkFailed: string;
  /** The label of the field that shows the whole value as JSON. */
  readonly allAsJson: string;
  /** The error of invalid JSON. @param fault the position of the first error, counted from 1 */
  readonly noJson: (fault: { readonly line: number; readonly column: number }) => string;
  /** The label of a row that has no name yet. */
  readonly newRow: string;
  /** The label of a list item. @param position counted from 1 */
  readonly item: (position: number) => string;
  /** An error inside a value that has no field. @param part the path to it */
  readonly inside: (part: string, message: string) => string;
  /** The name of an alternative without any other name, by its type. @param items the type of array items. If undefined: its number is the name */
  readonly typeName: (type: string, items?: string) => string | undefined;
  /** The bounds of a number. */
  readonly limits: (bounds: NumberBounds) => string;
  /** The end of a list that was cut, for example "and 3 more". */
  readonly more: (count: number) => string;
}

/** The bounds of a number; undefined if the schema does not have them. */
export interface NumberBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** The number must be more than this. */
  readonly above?: number | undefined;
  /** The number must be less than this. */
  readonly below?: number | undefined;
  /** The number must be a multiple of this. For an integer, 1 if the schema has no `multipleOf`. */
  readonly step?: number | undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  object: 'Object',
  array: 'List',
};

/** The default words of a form. */
export const englishWords: FormWords = {
  notGiven: 'Not given',
  none: 'None',
  yes: 'Yes',
  no: 'No',
  isRequired: 'is required',
  noNumber: 'must be a number',
  tooManyDigits: 'has more digits than can be kept',
  noDate: 'must be a date that exists',
  notAmongValues: 'must be one of the values',
  nameTaken: 'needs a name that no other row has',
  checkFailed: 'could not be checked',
  allAsJson: 'As JSON',
  noJson: ({ line, column }) => `is no valid JSON: line ${line}, column ${column}`,
  newRow: 'New row',
  item: (position) => `Item ${position}`,
  inside: (part, message) => `${part} ${message}`,
  typeName: (type, items) => {
    const name = Object.hasOwn(typeNames, type) ? typeNames[type] : undefined;
    const of = items !== undefined && Object.hasOwn(typeNames, items) ? typeNames[items] : undefined;
    return name !== undefined && of !== undefined ? `${name}: ${of.toLowerCase()}` : name;
  },
  limits: ({ min, max, above, below, step }) =>
    [
      min !== undefined && max !== undefined
        ? `${min} to ${max}`
        : min !== undefined
          ? `at least ${min}`
          : max !== undefined && `at most ${max}`,
      above !== undefined && `more than ${above}`,
      below !== undefined && `less than ${below}`,
      step !== undefined && step !== 1 && `in steps of ${step}`,
    ]
      .filter(Boolean)
      .join(', '),
  more: (count) => `and ${count} more`,
};

/** Words that replace some of the English words. */
export type GivenWords = { readonly [Name in keyof FormWords]?: FormWords[Name] | undefined };

/** Returns the words of a form. A word that is not given is English. */
export function wordsOf(given: GivenWords = {}): FormWords {
  const replaced = Object.entries(given).filter(([, word]) => word !== undefined);
  return { ...englishWords, ...Object.fromEntries(replaced) };
}
