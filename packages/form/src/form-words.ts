/** The words of a form that the user reads. Those of the schema and of the check are not among them. */
export interface FormWords {
  /** The choice of leaving a value out. */
  readonly notGiven: string;
  /** The choice of `null`. */
  readonly none: string;
  readonly yes: string;
  readonly no: string;
  readonly isRequired: string;
  readonly noNumber: string;
  /** For a number with more digits than a number of JavaScript keeps. */
  readonly tooManyDigits: string;
  readonly noDate: string;
  readonly notAmongValues: string;
  /** For the name of a row that another one has, or that no value may have. */
  readonly nameTaken: string;
  readonly checkFailed: string;
  /** The label of the one field that has everything as JSON. */
  readonly allAsJson: string;
  /** For a text that is no JSON. @param fault the place of the first fault, counted from 1 */
  readonly noJson: (fault: { readonly line: number; readonly column: number }) => string;
  /** The label of a row that has no name yet. */
  readonly newRow: string;
  /** The label of an item of a list. @param position counted from 1 */
  readonly item: (position: number) => string;
  /** An error of a part that has no field of its own. @param part the keys that lead to it */
  readonly inside: (part: string, message: string) => string;
  /** The name of an alternative that has no other one, by its type. @param items the type of the items of an array; undefined: the position is the name */
  readonly typeName: (type: string, items?: string) => string | undefined;
  /** The bounds of a number. */
  readonly limits: (bounds: NumberBounds) => string;
  /** The end of a list that was cut. */
  readonly more: (count: number) => string;
}

/** The bounds of a number; one that the schema does not have is undefined. */
export interface NumberBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** The number must be more than this. */
  readonly above?: number | undefined;
  /** The number must be less than this. */
  readonly below?: number | undefined;
  /** The number must be a multiple of this; 1 for an integer without another one. */
  readonly step?: number | undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  object: 'Object',
  array: 'List',
};

/** The words that a form has by default. */
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

/** Words in place of some of the English ones. */
export type GivenWords = { readonly [Name in keyof FormWords]?: FormWords[Name] | undefined };

/** Returns the words of a form: the English ones where none are given. */
export function wordsOf(given: GivenWords = {}): FormWords {
  const replaced = Object.entries(given).filter(([, word]) => word !== undefined);
  return { ...englishWords, ...Object.fromEntries(replaced) };
}
